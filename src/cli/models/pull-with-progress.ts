import { sizeText } from '../../model/local/bytes.ts';
import type { DownloadProgress } from '../../model/local/download.ts';
import type { LocalModelRow } from '../../model/local/models-table.ts';
import type { Pulled, PullOptions } from '../../model/local/pull-model.ts';
import { duration } from '../numbers.ts';
import type { Screen } from '../screen.ts';

/** Milliseconds between two lines where a line cannot be drawn over. */
const plainMs = 10_000;
const drawnMs = 200;

/** Fetches the library and the file of a model, and tells how far it is. Ctrl-C ends it; what has come is kept. */
export async function pullWithProgress(
  row: LocalModelRow,
  screen: Screen,
  options: Pick<PullOptions, 'env' | 'from' | 'file'>,
): Promise<Pulled> {
  const { installLlamaRuntime, findLlamaRuntime } = await import('../../model/local/runtime.ts');
  const { pullModel } = await import('../../model/local/pull-model.ts');
  const stop = new AbortController();
  const interrupt = (): void => {
    screen.note(`\nInterrupted. What has come is kept: assay models pull ${row.name} goes on with it.`);
    stop.abort();
  };
  process.once('SIGINT', interrupt);
  try {
    if (!findLlamaRuntime({ env: options.env })) {
      screen.note('Installing llama.cpp for this machine (45 MB) ...');
      await installLlamaRuntime({ env: options.env, signal: stop.signal });
    }
    const line = new DownloadLine(row.file, screen);
    return await pullModel(row, {
      ...options,
      signal: stop.signal,
      onProgress: (progress) => line.show(progress),
    }).finally(() => line.end());
  } finally {
    process.off('SIGINT', interrupt);
  }
}

/** One line that is drawn over, or one line now and then where that cannot be. */
class DownloadLine {
  readonly #name: string;
  readonly #screen: Screen;
  readonly #began = Date.now();
  /** Bytes that were there before; they say nothing of the rate. */
  #before: number | undefined;
  #shown = 0;
  #drawn = false;

  constructor(name: string, screen: Screen) {
    this.#name = name;
    this.#screen = screen;
  }

  show({ done, total }: DownloadProgress): void {
    this.#before ??= done;
    const now = Date.now();
    if (now - this.#shown < (this.#screen.canRedraw ? drawnMs : plainMs) && done !== total) return;
    this.#shown = now;
    const text = `${this.#name}  ${progressText({ done, total, before: this.#before, ms: now - this.#began })}`;
    if (!this.#screen.canRedraw) this.#screen.note(text);
    else this.#screen.draw(`\r\u001b[2K${text.slice(0, this.#screen.columns - 1)}`);
    this.#drawn = this.#screen.canRedraw;
  }

  end(): void {
    if (this.#drawn) this.#screen.draw('\n');
  }
}

/** `1.2 GB of 2.5 GB, 48 %, 11 MB/s, 2 min 3 s left`. */
export function progressText(seen: { done: number; total: number | undefined; before: number; ms: number }): string {
  const { done, total, before, ms } = seen;
  const rate = ms > 0 ? ((done - before) * 1_000) / ms : 0;
  const share = total ? [`${Math.floor((100 * done) / total)} %`] : [];
  const left = total && rate > 0 && done < total ? [`${duration(((total - done) * 1_000) / rate)} left`] : [];
  const speed = rate > 0 ? [`${sizeText(rate)}/s`] : [];
  return [`${sizeText(done)}${total ? ` of ${sizeText(total)}` : ''}`, ...share, ...speed, ...left].join(', ');
}
