/** What the server says when it refuses (RFC 9457), or what the network says when nobody answers. */
export class Problem extends Error {
  readonly status: number;
  readonly remedy: string;

  constructor({ status, detail, remedy }: { status: number; detail: string; remedy: string }) {
    super(detail);
    this.name = 'Problem';
    this.status = status;
    this.remedy = remedy;
  }
}

/** The problem in a response that is not ok. */
export async function problemOf(response: Response): Promise<Problem> {
  const body: unknown = await response.json().catch(() => undefined);
  return new Problem({
    status: response.status,
    detail: textAt(body, 'detail') ?? `HTTP ${response.status}`,
    remedy: textAt(body, 'remedy') ?? '',
  });
}

/** A failed `fetch` tells nothing but that nobody answered; the page has its own words for the status 0. */
export function unreachable(): Problem {
  return new Problem({ status: 0, detail: 'The server does not answer.', remedy: '' });
}

/** Whether another try may help: the network, a server that restarts, too many requests. */
export function mayPass(error: unknown): boolean {
  return error instanceof Problem && (error.status === 0 || error.status === 429 || error.status >= 500);
}

function textAt(body: unknown, key: string): string | undefined {
  const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, key) : undefined;
  return typeof value === 'string' ? value : undefined;
}
