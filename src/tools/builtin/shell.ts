import { lstatSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import * as path from 'node:path';
import * as z from 'zod';
import { UsageError } from '../../core/errors.ts';
import { type Tool, tool } from '../tool.ts';
import type { Confined } from './sandbox/bubblewrap.ts';

export interface ShellOptions {
  /** The folder in which commands run. They see it, the system's programs and nothing else of the machine's files. */
  root: string;
  /** Default `read-write`. */
  access?: 'read-write' | 'read-only';
  /** Entries of `root` that stay read-only, because other programs run or trust what is in them. Default `.git` and `.assay`. */
  protect?: string[];
  /** More files and folders that may be read, for example of a compiler outside /usr. */
  readable?: string[];
  /** The whole network of this machine, its own services included. Default false. */
  network?: boolean;
  /** Names of variables of this process that commands get. Default: none. */
  env?: string[];
  /** For one command with everything it started. Default 60,000. */
  timeoutMs?: number;
  /** Of the data of each process. Default 1,024. */
  memoryMb?: number;
  /** At the same time. Not enforced by Linux where this process and the owner of `root` are root. Default 128. */
  maxProcesses?: number;
  /** Of standard output and of standard error, each; at more the command is ended. Default 64 KiB. */
  maxOutputBytes?: number;
}

const graceMs = 15_000;
/** Of one file that a command writes, and of the private temporary folder. */
const fileMb = 512;
const systemFolders = ['/bin', '/boot', '/dev', '/etc', '/lib', '/lib32', '/lib64', '/opt', '/proc', '/run', '/sbin'];
const moreSystemFolders = ['/sys', '/tmp', '/usr', '/var'];
const programs = ['/usr', '/bin', '/sbin', '/etc/alternatives'];
const forNetwork = ['/etc/ssl/certs', '/etc/pki/tls/certs', '/etc/pki/ca-trust/extracted', '/etc/ca-certificates'];
const forNames = ['/etc/resolv.conf', '/etc/hosts', '/etc/nsswitch.conf'];

/**
 * A tool that runs command lines in bubblewrap (Linux), in `root` and without network. Its effects on `root` stay, so each call
 * needs an approval. Throws `UsageError` when `root` is no folder, or one that holds more than a project, or off Linux.
 */
export function shell(options: ShellOptions): Tool {
  if (process.platform !== 'linux') {
    throw new UsageError('shell needs bubblewrap, which is for Linux only: leave the tool out, or use runCode');
  }
  const root = projectFolder(options.root);
  const { timeoutMs = 60_000, maxOutputBytes = 64 * 1024, network = false, access = 'read-write' } = options;
  const rights = access === 'read-only' ? 'may be read, not changed' : 'may be changed';
  return tool({
    name: 'shell',
    description: `Runs a command line in ${root}, whose files ${rights}. There is no other file of the user and ${network ? 'the' : 'no'} network. /tmp is empty for each call and nothing goes on running after it.`,
    input: z.object({
      command: z
        .union([z.string().min(1).max(100_000), z.array(z.string().max(100_000)).min(1).max(1_000)])
        .describe('A line for /bin/sh, or a program with its arguments.'),
    }),
    effect: 'irreversible',
    timeoutMs: timeoutMs + graceMs,
    markup: 'source',
    touches: () => ({ paths: [root] }),
    run: async ({ command }, { signal }) => {
      // What starts programs is loaded by the first call, not by the start of the program.
      const { runConfined } = await import('./sandbox/run-confined.ts');
      const args = typeof command === 'string' ? ['-c', command] : ['-c', 'exec "$@"', 'sh', ...command];
      return runConfined({ ...confinement(root, options), args }, { timeoutMs, maxOutputBytes, signal });
    },
  });
}

function projectFolder(given: string): string {
  const found = statSync(given, { throwIfNoEntry: false });
  if (!found?.isDirectory()) throw new UsageError(`root: ${given} is not a folder; create it, or name another`);
  const root = realpathSync(given);
  const inside = path.relative(root, realpathSync(homedir()));
  const holdsHome = inside === '' || !(inside.startsWith('..') || path.isAbsolute(inside));
  if (holdsHome || root === '/' || [...systemFolders, ...moreSystemFolders].includes(root)) {
    throw new UsageError(`root: ${root} holds more than a project (keys, settings, the system); name a folder in it`);
  }
  return root;
}

function confinement(root: string, options: ShellOptions): Omit<Confined, 'args'> {
  const { access = 'read-write', network = false, readable = [], timeoutMs = 60_000 } = options;
  const { uid, gid } = statSync(root);
  const shown = [
    ...programs,
    ...(network ? [...forNetwork, ...forNames] : []),
    ...readable.map((file) => path.resolve(file)),
  ];
  return {
    program: '/bin/sh',
    readable: access === 'read-only' ? [...shown, root] : [...shown, ...protectedPaths(root, options)],
    ...(access === 'read-write' && { writable: root }),
    folder: root,
    env: chosenVariables(options.env ?? []),
    network,
    processes: true,
    // What commands write belongs to whom the folder belongs.
    identity: { uid, gid },
    limits: {
      memoryMb: options.memoryMb ?? 1_024,
      memoryIs: 'data',
      processes: options.maxProcesses ?? 128,
      fileMb,
      cpuSeconds: Math.ceil(timeoutMs / 1_000) * 4,
    },
  };
}

function protectedPaths(root: string, { protect = ['.git', '.assay'] }: ShellOptions): string[] {
  const existing = protect
    .map((name) => path.join(root, name))
    .filter((file) => lstatSync(file, { throwIfNoEntry: false }));
  for (const file of existing) {
    if (lstatSync(file).isSymbolicLink()) {
      throw new UsageError(
        `protect: ${file} is a link, which cannot be kept read-only; replace it, or leave it out of protect`,
      );
    }
  }
  return existing;
}

function chosenVariables(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
