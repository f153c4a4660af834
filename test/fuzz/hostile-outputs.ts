/** What a broken or hostile tool may return or throw, made anew for each run: some of it cannot be compared, printed or even looked at. */
import * as fc from 'fast-check';
import * as z from 'zod';
import { type Tool, tool } from '../../src/tools/tool.ts';

const fail = (): never => {
  throw new Error('do not look');
};

const throwing = {
  get: fail,
  has: fail,
  ownKeys: fail,
  getPrototypeOf: fail,
  getOwnPropertyDescriptor: fail,
} satisfies ProxyHandler<object>;

function cycle(): object {
  const [inner, outer] = [{ list: [] as unknown[] }, { inner: {} as object }];
  inner.list.push(outer, inner);
  outer.inner = inner;
  return outer;
}

function deep(levels: number): unknown {
  let value: unknown = 'end';
  for (let n = 0; n < levels; n++) value = n % 2 ? [value] : { value };
  return value;
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function unreadableError(): Error {
  return Object.defineProperty(new Error('x'), 'message', { get: fail });
}

const made: Record<string, () => unknown> = {
  cycle,
  deep: () => deep(50_000),
  'throwing proxy': () => new Proxy({}, throwing),
  'throwing array proxy': () => new Proxy([], throwing),
  'throwing function proxy': () => new Proxy(() => 1, throwing),
  'revoked proxy': revoked,
  'throwing getter': () => ({
    fine: 1,
    get broken() {
      return fail();
    },
  }),
  'throwing toJSON': () => ({ toJSON: fail }),
  'toJSON of itself': () => {
    const self: { toJSON?: () => object } = {};
    self.toJSON = () => self;
    return self;
  },
  'throwing toString': () => ({ toString: fail, [Symbol.toPrimitive]: fail }),
  'throwing thenable': () => Object.defineProperty({}, 'then', { get: fail }),
  'rejecting thenable': () =>
    Object.fromEntries([['then', (_: unknown, reject: (reason: unknown) => void) => reject(Object.create(null))]]),
  'error without message': unreadableError,
  'error with odd message': () => Object.assign(new Error('x'), { message: { not: 'text' } }),
  'error that causes itself': () => {
    const error = new Error('x');
    error.cause = error;
    return error;
  },
  'nothing with a prototype': () => Object.create(null),
  'class with private state': () =>
    new (class {
      readonly #secret = 1;
      get secret() {
        return this.#secret;
      }
    })(),
  bigint: () => 10n ** 400n,
  symbol: () => Symbol('x'),
  function: () => () => 1,
  generator: () =>
    (function* () {
      yield 1;
    })(),
  'weak map': () => new WeakMap(),
  'invalid date': () => new Date(Number.NaN),
  'huge text': () => 'x'.repeat(3_000_000),
  'huge text of escapes': () => '\x1b[31m\u202e\ud800'.repeat(100_000),
  'wide array': () => Array.from({ length: 100_000 }, (_, n) => n),
  holes: () => Object.assign([], { 5000: 1 }),
  bytes: () => new Uint8Array(100_000),
  'html page': () => `<!doctype html>${'<div>'.repeat(3_000)}x<script>1</script>`,
  'polluting keys': () => JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"toString":2}'),
  'abort error': () => new DOMException('enough', 'AbortError'),
  undefined: () => undefined,
};

interface Ending {
  how: 'returned' | 'thrown' | 'rejected' | 'resolved later';
  value: () => unknown;
}

const ending: fc.Arbitrary<Ending> = fc.record({
  how: fc.constantFrom<Ending['how'][]>('returned', 'thrown', 'rejected', 'resolved later'),
  value: fc.oneof(
    fc.constantFrom(...Object.keys(made)).map((key) => made[key] ?? fail),
    fc
      .anything({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withSet: true,
        withNullPrototype: true,
        withObjectString: true,
        withSparseArray: true,
        withTypedArray: true,
        withBoxedValues: true,
      })
      .map((value) => () => value),
  ),
});

/** A tool that ends in a different hostile way for each call: its argument is the seed of the ending. */
export function hostileTool(): Tool {
  return tool({
    name: 'hostileOutput',
    description: 'Ends in hostile ways.',
    input: z.object({ ending: z.int().min(0).max(0x7fffffff) }),
    effect: 'read',
    timeoutMs: 20_000,
    run: ({ ending: seed }) => {
      const [chosen] = fc.sample(ending, { seed, numRuns: 1 });
      if (!chosen || chosen.how === 'thrown') throw chosen?.value();
      if (chosen.how === 'rejected') return Promise.reject(chosen.value());
      if (chosen.how === 'returned') return chosen.value();
      return new Promise((resolve) => setImmediate(() => resolve(chosen.value())));
    },
  });
}
