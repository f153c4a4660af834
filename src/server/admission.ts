/**
 * How many runs are live at once, and how many may wait to become so.
 *
 * 1. A run is acknowledged to its client only after it began, so nothing that waits here is lost by a crash.
 * 2. Those who wait are served in order; who would be one too many is refused at once.
 */
import { Problem } from './problem.ts';

/** Gives the place back; only the first call counts. */
export type Release = () => void;

interface Waiting {
  admit(release: Release): void;
  refuse(problem: Problem): void;
}

export class Admission {
  readonly #live: number;
  readonly #queue: number;
  readonly #queueMs: number;
  readonly #waiting = new Set<Waiting>();
  #taken = 0;
  #closed = false;

  constructor(options: { live: number; queue: number; queueMs: number }) {
    this.#live = options.live;
    this.#queue = options.queue;
    this.#queueMs = options.queueMs;
  }

  get live(): number {
    return this.#taken;
  }

  get queued(): number {
    return this.#waiting.size;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** A place for a run. Rejects with a `Problem`: 429 when too many wait or it took too long, 503 when the server drains. */
  acquire(options: { patient?: boolean } = {}): Promise<Release> {
    if (this.#closed) return Promise.reject(draining());
    if (this.#taken < this.#live) return Promise.resolve(this.#take());
    if (!options.patient && this.#waiting.size >= this.#queue) return Promise.reject(this.#full());
    return new Promise((resolve, reject) => {
      const timer = options.patient ? undefined : setTimeout(() => waiting.refuse(this.#full()), this.#queueMs);
      const leave = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(waiting);
      };
      const waiting: Waiting = {
        admit: (release) => {
          leave();
          resolve(release);
        },
        refuse: (problem) => {
          leave();
          reject(problem);
        },
      };
      this.#waiting.add(waiting);
    });
  }

  /** A place for a run that is live already, because a decision woke it: the limit may be crossed by it. */
  adopt(): Release {
    return this.#take();
  }

  /** Refuses those who wait and all who come. */
  close(): void {
    this.#closed = true;
    for (const waiting of this.#waiting) waiting.refuse(draining());
  }

  #take(): Release {
    this.#taken++;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#taken--;
      this.#admitNext();
    };
  }

  #admitNext(): void {
    if (this.#closed || this.#taken >= this.#live) return;
    const [next] = this.#waiting;
    next?.admit(this.#take());
  }

  #full(): Problem {
    return new Problem({
      status: 429,
      code: 'busy',
      title: 'Too many runs',
      detail: `${this.#taken} runs are live and ${this.#waiting.size} wait for a place, which is as many as this server takes.`,
      remedy: 'Send the request again after the time in Retry-After.',
      retryAfter: Math.max(1, this.#queueMs / 1_000),
    });
  }
}

/** The answer to everything that would begin something while the server goes down. */
export function draining(): Problem {
  return new Problem({
    status: 503,
    code: 'draining',
    title: 'The server is going down',
    detail:
      'The server takes no new work: it stops its runs where they stand and goes on with them when it starts again.',
    remedy: 'Send the request again after the time in Retry-After.',
    retryAfter: 5,
  });
}
