/**
 * Running a program in bubblewrap (Linux namespaces).
 *
 * 1. Nothing of the machine is visible but what is listed: system libraries, the program itself and the paths of the caller.
 * 2. All namespaces are new, no capability is left, new privileges are ruled out, and system calls are filtered.
 * 3. Killing the outer process ends everything inside: the first process of the PID namespace dies with its parent.
 * 4. Each process is limited in memory, processor time and file size, and all of them in number and in temporary space.
 */
import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { release } from 'node:os';
import * as path from 'node:path';
import type { ProcessRun } from '../../process/run-process.ts';
import { seccompFilter } from './seccomp.ts';

export interface Confined {
  /** Absolute; visible at the same place inside. */
  program: string;
  args: readonly string[];
  /** Files and folders that may be read, at the same place inside. Missing ones are left out. */
  readable: readonly string[];
  /** A folder at the same place inside that may be changed. Default: none. */
  writable?: string;
  /** Where the program starts. Default: the private temporary folder. */
  folder?: string;
  /** The whole environment beside HOME, PATH, TMPDIR and LANG. */
  env?: Readonly<Record<string, string>>;
  /** The network of the machine, loopback included. Default: none. */
  network?: boolean;
  /** Whether the program sees its own processes in /proc. Default: no /proc. */
  processes?: boolean;
  limits: ConfinedLimits;
  /** As whom it runs when this process is root. Default: nobody, if that user can read what the program needs. */
  identity?: { uid: number; gid: number } | undefined;
}

export interface ConfinedLimits {
  memoryMb: number;
  /** `address-space` counts all memory of a process; `data` leaves out reserved ranges, which engines with a compiler need. */
  memoryIs: 'address-space' | 'data';
  processes: number;
  /** Of one file and of all temporary files together. */
  fileMb: number;
  cpuSeconds: number;
}

const mebibyte = 1024 * 1024;
const nobody = { uid: 65_534, gid: 65_534 };
const privateFolder = '/tmp';
const sharedMemoryBytes = 16 * mebibyte;
const usualVariables = {
  HOME: privateFolder,
  TMPDIR: privateFolder,
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LANG: 'C.UTF-8',
};

/** Where they are looked for: never in a PATH that something else may have set. */
const programFolders = ['/usr/bin', '/bin', '/usr/local/bin'];
const libraryFolders = ['/lib', '/lib32', '/lib64', '/usr/lib', '/usr/lib32', '/usr/lib64'];
const linkerCache = '/etc/ld.so.cache';

/** The absolute path of a system program, or undefined. */
export function systemProgram(name: string): string | undefined {
  return programFolders.map((folder) => path.join(folder, name)).find((file) => exists(file));
}

/** The part of a `ProcessRun` that starts the program confined. Throws when bubblewrap or prlimit is missing. */
export function confinedRun(
  confined: Confined,
): Pick<ProcessRun, 'program' | 'args' | 'env' | 'data' | 'cwd' | 'identity'> {
  const [bwrap, prlimit] = [requiredProgram('bwrap'), requiredProgram('prlimit')];
  const readable = [...new Set([prlimit, confined.program, linkerCache, ...confined.readable])].filter(exists);
  const filter = seccompFilter();
  return {
    program: '/bin/sh',
    args: [
      '-c',
      // When memory is short, the kernel ends this program first. Whoever may not say so goes on.
      '{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null; exec "$@"',
      'sh',
      bwrap,
      ...isolation(confined),
      ...(filter ? ['--seccomp', '4'] : []),
      ...fileSystem(confined, readable),
      '--',
      prlimit,
      ...resourceLimits(confined.limits),
      '--',
      confined.program,
      ...confined.args,
    ],
    // Not by options of bubblewrap: the arguments of a program can be read by every user of the machine.
    env: { ...usualVariables, ...confined.env },
    cwd: '/',
    data: filter,
    identity: identityFor(confined, readable),
  };
}

function requiredProgram(name: string): string {
  const found = systemProgram(name);
  if (found === undefined) throw new Error(`${name} was not found in ${programFolders.join(', ')}`);
  return found;
}

function isolation({ network = false }: Confined): string[] {
  return [
    ...['--unshare-user', '--unshare-all', ...(network ? ['--share-net'] : []), '--hostname', 'sandbox'],
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
  ];
}

function fileSystem(confined: Confined, readable: readonly string[]): string[] {
  const { writable, folder = privateFolder, processes = false, limits } = confined;
  const size = String(limits.fileMb * mebibyte);
  const shown = new Map<string, readonly string[]>();
  for (const file of [...libraryFolders, ...readable]) show(file, shown);
  return [
    ...(processes ? ['--proc', '/proc'] : []),
    ...['--dev', '/dev', '--size', String(sharedMemoryBytes), '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...['--size', size, '--perms', '0700', '--tmpfs', privateFolder],
    ...(writable === undefined ? [] : ['--bind', writable, writable]),
    ...[...shown.values()].flat(),
    ...['--remount-ro', '/', '--chdir', folder],
  ];
}

/** As it is on the machine: a link stays a link, so that programs find their files. */
function show(file: string, shown: Map<string, readonly string[]>): void {
  const link = firstLink(file);
  const own = link ?? file;
  const isVisible = [...shown].some(([folder, [how]]) => how === '--ro-bind' && own.startsWith(`${folder}/`));
  if (link === undefined) {
    if (!isVisible && exists(file)) shown.set(file, ['--ro-bind', file, file]);
    return;
  }
  const target = readlinkSync(link);
  if (!isVisible) shown.set(link, ['--symlink', target, link]);
  show(path.resolve(path.dirname(link), target, path.relative(link, file)), shown);
}

/** The first part of a path that is a link. */
function firstLink(file: string): string | undefined {
  const names = file.split('/');
  const parts = names.map((_, index) => names.slice(0, index + 1).join('/')).slice(1);
  return parts.find((part) => lstatSync(part, { throwIfNoEntry: false })?.isSymbolicLink());
}

function resourceLimits({ memoryMb, memoryIs, processes, fileMb, cpuSeconds }: ConfinedLimits): string[] {
  const memory = Math.ceil(memoryMb * mebibyte);
  return [
    memoryIs === 'data' ? `--data=${memory}` : `--as=${memory}`,
    `--nproc=${countsPerNamespace() ? processes : sharedProcesses}`,
    `--fsize=${fileMb * mebibyte}`,
    `--cpu=${cpuSeconds}`,
    '--core=0',
    '--nofile=1024',
  ];
}

/** Before Linux 5.14 a limit on processes counts all of the user's, so that a small one would start nothing. */
const sharedProcesses = 4_096;

function countsPerNamespace(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}

/** The kernel exempts root from the limit on processes. */
function identityFor(confined: Confined, readable: readonly string[]): ProcessRun['identity'] {
  if (process.getuid?.() !== 0) return undefined;
  if (confined.identity) return confined.identity;
  return readable.every(openToAll) ? nobody : undefined;
}

function openToAll(file: string): boolean {
  const real = realpathSync(file);
  const { mode } = statSync(real);
  if ((mode & 0o004) === 0) return false;
  for (let folder = path.dirname(real); ; folder = path.dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
    if (folder === path.dirname(folder)) return true;
  }
}

function exists(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}
