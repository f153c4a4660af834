/** A folder for tools to work in, with a decoy beside it, and watches that tell when something left the folder or the machine. */
import { createHash } from 'node:crypto';
import dns from 'node:dns';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isIP, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import * as path from 'node:path';

export interface Scene {
  /** Where the tools may write. */
  root: string;
  /** Beside it, with files that no tool may change or show. */
  decoy: string;
  /** Stands in the decoy's files; a result that holds it has read them. */
  canary: string;
  /** Throws when something outside of the root came, went or changed; looks at names, sizes and times. */
  check(): void;
  /** The same by content. */
  checkContent(): void;
  close(): void;
}

/** What went wrong although no tool may make it happen. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/** Makes the scene in a fresh folder; programs may be started in `decoy/work`, so that relative escapes are seen too. */
export function openScene(): Scene {
  const parent = realpathSync(mkdtempSync(path.join(tmpdir(), 'assay-fuzz-')));
  const [root, decoy] = [path.join(parent, 'root'), path.join(parent, 'decoy')];
  const canary = `canary-${crypto.randomUUID()}`;
  for (const folder of [root, `${root}-two`, path.join(decoy, 'work'), path.join(decoy, 'home')]) {
    mkdirSync(folder, { recursive: true });
  }
  for (const file of [
    `${root}-two/a.txt`,
    `${decoy}/secret.txt`,
    `${decoy}/work/a.txt`,
    `${decoy}/home/.env`,
    `${parent}/a.txt`,
  ]) {
    writeFileSync(file, `${canary}\n`);
  }
  const names = new Baseline(() => stamps(parent, root));
  const content = new Baseline(() => digests(parent, root));
  return {
    root,
    decoy,
    canary,
    check: () => names.compare(),
    checkContent: () => content.compare(),
    close: () => rmSync(parent, { recursive: true, force: true }),
  };
}

/** What was seen last. A change is told once: the next call is judged by itself, which is what a smaller counterexample needs. */
class Baseline {
  readonly #look: () => string[];
  #seen: string[];

  constructor(look: () => string[]) {
    this.#look = look;
    this.#seen = look();
  }

  compare(): void {
    const [before, now] = [this.#seen, this.#look()];
    if (before.length === now.length && before.every((line, index) => line === now[index])) return;
    this.#seen = now;
    const [gone, come] = [before.filter((line) => !now.includes(line)), now.filter((line) => !before.includes(line))];
    throw new Violation(`escape: outside of the folder there was ${gone.join(', ')} and is now ${come.join(', ')}`);
  }
}

function outside(parent: string, root: string): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(parent, { withFileTypes: true })) {
    const file = path.join(parent, entry.name);
    if (file === root) continue;
    found.push(file);
    if (entry.isDirectory()) found.push(...outside(file, root));
  }
  return found.sort();
}

function stamps(parent: string, root: string): string[] {
  return outside(parent, root).map((file) => {
    const { ino, size, mtimeMs, mode } = lstatSync(file);
    return `${file} ${ino} ${size} ${mtimeMs} ${mode}`;
  });
}

function digests(parent: string, root: string): string[] {
  return outside(parent, root).map((file) => {
    const content = lstatSync(file).isFile() ? readFileSync(file) : '';
    return `${file} ${createHash('sha256').update(content).digest('hex')}`;
  });
}

/**
 * Watches connections and name look-ups of this process until `stop`. Only loopback may be connected to; names other than localhost do
 * not resolve, and nobody is asked. `seen` are the places that were to be connected to all the same.
 */
export function watchNetwork(): { seen: string[]; stop(): void } {
  const seen: string[] = [];
  const connect = Socket.prototype.connect;
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
    const host = hostOf(args);
    if (host !== undefined && isIP(host) !== 0 && !isLoopback(host)) {
      seen.push(host);
      throw new Violation(`network: ${host}`);
    }
    // A name comes from a look-up of the tool's own: what it is resolved to is seen here.
    this.on('connectionAttempt', (address: string) => {
      if (isLoopback(address)) return;
      seen.push(address);
      this.destroy();
    });
    // The overloads of `connect` cannot be called with a list of unknown arguments.
    return Reflect.apply(connect, this, args) as Socket;
  };
  const names = stubNames();
  return {
    seen,
    stop() {
      Socket.prototype.connect = connect;
      names.restore();
    },
  };
}

/** `net` normalises its arguments to a list of options and callback before it calls the socket's own method. */
function hostOf(args: unknown[]): string | undefined {
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  if (typeof first === 'number') return typeof second === 'string' ? second : 'localhost';
  if (typeof first !== 'object' || first === null) return undefined;
  const { path: pipe, host } = first as { path?: string | null; host?: string };
  return pipe ? undefined : (host ?? 'localhost');
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}

function stubNames(): { restore(): void } {
  const kept = { lookup: dns.lookup, promised: dns.promises.lookup };
  const found = (name: string) => {
    if (name !== 'localhost' && isIP(name) === 0) {
      throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND', hostname: name });
    }
    const address = name === 'localhost' ? '127.0.0.1' : name;
    return { address, family: isIP(address) };
  };
  const promised = async (name: string, options?: { all?: boolean }) => (options?.all ? [found(name)] : found(name));
  const lookup = (name: string, ...rest: unknown[]): void => {
    const callback = rest.at(-1) as (error: Error | null, ...addresses: unknown[]) => void;
    const wantsAll = typeof rest[0] === 'object' && rest[0] !== null && 'all' in rest[0] && rest[0].all === true;
    const answer = (): unknown[] => {
      try {
        return [null, ...(wantsAll ? [[found(name)]] : Object.values(found(name)))];
      } catch (error) {
        return [error];
      }
    };
    const [error, ...addresses] = answer();
    setImmediate(() => callback(error as Error | null, ...addresses));
  };
  // The stubs have one signature instead of the overloads.
  Object.assign(dns, { lookup });
  Object.assign(dns.promises, { lookup: promised });
  syncBuiltinESMExports();
  return {
    restore() {
      Object.assign(dns, { lookup: kept.lookup });
      Object.assign(dns.promises, { lookup: kept.promised });
      syncBuiltinESMExports();
    },
  };
}
