/** The command as a process of its own, in an empty home and an environment without keys. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const entry = fileURLToPath(new URL('../../bin/assay.js', import.meta.url));

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  /** Resolves when stderr or stdout holds the text. */
  says(text: string): Promise<void>;
  /** What it has written to stdout so far. */
  stdout(): string;
  ended: Promise<Ended>;
}

/** A folder to work in; `assay` runs commands there, `start` leaves one running. */
export class Desk {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'assay-cli-'));

  /** Writes a file and gives its path. */
  write(name: string, content: unknown): string {
    const file = join(this.folder, name);
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  }

  start(args: readonly string[], options: { env?: Record<string, string>; input?: string } = {}): Running {
    const env = { PATH: process.env['PATH'] ?? '', HOME: this.folder, ASSAY_TEST: '1', ...options.env };
    const child = spawn(process.execPath, [entry, ...args], { cwd: this.folder, env, stdio: ['pipe', 'pipe', 'pipe'] });
    const said = { stdout: '', stderr: '' };
    const listeners = new Set<() => void>();
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8');
      child[name].on('data', (text: string) => {
        said[name] += text;
        for (const listener of listeners) listener();
      });
    }
    child.stdin.end(options.input ?? '');
    const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...said }));
    const says = (text: string) => saying(text, { said, listeners, ended });
    return { child, ended, says, stdout: () => said.stdout };
  }

  assay(args: readonly string[], options: { env?: Record<string, string>; input?: string } = {}): Promise<Ended> {
    return this.start(args, options).ended;
  }

  /** Runs with `--json` and parses the whole of stdout. */
  async json(args: readonly string[]): Promise<{ code: number | null; value: unknown; stderr: string }> {
    const { code, stdout, stderr } = await this.assay([...args, '--json']);
    return { code, value: JSON.parse(stdout), stderr };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function saying(
  text: string,
  heard: { said: { stdout: string; stderr: string }; listeners: Set<() => void>; ended: Promise<Ended> },
): Promise<void> {
  const { said, listeners, ended } = heard;
  const isSaid = (): boolean => said.stdout.includes(text) || said.stderr.includes(text);
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (!isSaid()) return;
      listeners.delete(look);
      resolve();
    };
    listeners.add(look);
    look();
    void ended.then(() => (isSaid() ? resolve() : reject(new Error(`ended without saying "${text}": ${said.stderr}`))));
  });
}

/** One field of every object in a parsed list. */
export function fieldOf(list: unknown, name: string): unknown[] {
  return Array.isArray(list) ? list.map((item) => Reflect.get(Object(item), name)) : [];
}

/** A final action with one claim. */
export function finalCall(answer: string, observation: string, quote: string): unknown {
  return {
    calls: [{ tool: 'final', input: { answer, claims: [{ text: answer, evidence: [{ observation, quote }] }] } }],
  };
}

/** A script that computes 6 * 7 and answers after a while; `delayMs` slows the second turn. */
export function sumScript(delayMs = 0): { rules: unknown[] } {
  const second = finalCall('It is 42.', 'obs-1', '6 * 7 = 42');
  return {
    rules: [
      { when: { role: 'actor', turn: 1 }, reply: { calls: [{ tool: 'calculator', input: { expression: '6 * 7' } }] } },
      { when: { role: 'actor' }, reply: { ...(second as object), delayMs } },
    ],
  };
}

/** A config whose agent writes two notes, which has to be approved, and says what came of it. */
export const noteConfig: string = `
import { appendFileSync } from 'node:fs';
import { defineAgent, tool, verification } from 'assay';
import * as z from '${import.meta.resolve('zod')}';

export default defineAgent({
  model: 'script:notes.json',
  tools: [
    tool({
      name: 'writeNote',
      description: 'Writes a note.',
      input: z.object({ text: z.string() }),
      effect: 'write',
      run: ({ text }: { text: string }) => {
        appendFileSync('notes.txt', text + '\\n');
        return 'noted ' + text;
      },
    }),
  ],
  layers: [verification({ verifier: false })],
});
`;

export const noteScript: { rules: unknown[] } = {
  rules: [
    {
      when: { role: 'actor', turn: 1 },
      reply: {
        calls: [
          { tool: 'writeNote', input: { text: 'buy rope' } },
          { tool: 'writeNote', input: { text: 'sell lamps' } },
        ],
      },
    },
    {
      when: { role: 'actor', contains: 'not on a Monday' },
      reply: finalCall('It was refused.', 'obs-1', 'not on a Monday'),
    },
    { when: { role: 'actor' }, reply: finalCall('Noted.', 'obs-1', 'noted buy rope') },
  ],
};
