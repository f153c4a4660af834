/**
 * A filter of system calls for bubblewrap: what a program in the sandbox never needs and what has been a way into the kernel
 * (namespaces, mounts, bpf, io_uring, keys, tracing, sockets to the machine's host). Refused calls fail with EPERM.
 */
import { endianness } from 'node:os';

const returnAllow = 0x7fff_0000;
const returnErrno = 0x0005_0000;
const returnKillProcess = 0x8000_0000;
const notPermitted = 1;
const notImplemented = 38;

const loadWord = 0x20;
const jumpEqual = 0x15;
const jumpGreaterOrEqual = 0x35;
const jumpAnyBit = 0x45;
const giveBack = 0x06;

const offsetOfNumber = 0;
const offsetOfArchitecture = 4;
const offsetOfFirstArgument = 16;

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const cloneNamespaces = 0x7e02_0000;
/** The second set of numbers of x86-64 (x32) starts here. */
const firstOfX32 = 0x4000_0000;
/** AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK live in a network namespace; AF_VSOCK, AF_ALG and others do not. */
const socketFamilies = [1, 2, 10, 16];

interface Numbers {
  audit: number;
  clone: number;
  socket: number;
  refused: readonly number[];
}

/** The same on every architecture: pidfd_getfd, io_uring, the mount calls of Linux 5.2 and later. */
const newerCalls = [438, 425, 426, 427, 428, 429, 430, 431, 432, 433, 442];
const clone3 = 435;

const architectures: Partial<Record<NodeJS.Architecture, Numbers>> = {
  x64: {
    audit: 0xc000_003e,
    clone: 56,
    socket: 41,
    // ptrace process_vm_readv process_vm_writev kcmp mount umount2 pivot_root unshare setns chroot bpf perf_event_open userfaultfd
    // keyctl add_key request_key kexec_load kexec_file_load init_module finit_module delete_module open_by_handle_at
    // name_to_handle_at acct swapon swapoff reboot syslog quotactl settimeofday clock_settime personality iopl ioperm fanotify_init
    refused: [
      101, 310, 311, 312, 165, 166, 155, 272, 308, 161, 321, 298, 323, 250, 248, 249, 246, 320, 175, 313, 176, 304, 303,
      163, 167, 168, 169, 103, 179, 164, 227, 135, 172, 173, 300,
    ],
  },
  arm64: {
    audit: 0xc000_00b7,
    clone: 220,
    socket: 198,
    // The same calls; iopl and ioperm do not exist.
    refused: [
      117, 270, 271, 272, 40, 39, 41, 97, 268, 51, 280, 241, 282, 219, 217, 218, 104, 294, 105, 273, 106, 265, 264, 89,
      224, 225, 142, 116, 60, 170, 112, 92, 262,
    ],
  },
};

/** The filter as the kernel reads it, or undefined for an architecture whose calls are not listed here. */
export function seccompFilter(architecture: NodeJS.Architecture = process.arch): Uint8Array | undefined {
  const numbers = architectures[architecture];
  if (!numbers || endianness() !== 'LE') return undefined;
  const program = [
    ...instructions(loadWord, offsetOfArchitecture),
    ...unless(jumpEqual, numbers.audit, returnKillProcess),
    ...instructions(loadWord, offsetOfNumber),
    ...(architecture === 'x64' ? when(jumpGreaterOrEqual, firstOfX32, returnErrno | notPermitted) : []),
    // The C library falls back to clone, whose flags can be read.
    ...when(jumpEqual, clone3, returnErrno | notImplemented),
    ...[...numbers.refused, ...newerCalls].flatMap((call) => when(jumpEqual, call, returnErrno | notPermitted)),
    ...skipUnless(numbers.clone, [
      ...instructions(loadWord, offsetOfFirstArgument),
      ...when(jumpAnyBit, cloneNamespaces, returnErrno | notPermitted),
      ...instructions(giveBack, returnAllow),
    ]),
    ...skipUnless(numbers.socket, [
      ...instructions(loadWord, offsetOfFirstArgument),
      ...socketFamilies.flatMap((family) => when(jumpEqual, family, returnAllow)),
      ...instructions(giveBack, returnErrno | notPermitted),
    ]),
    ...instructions(giveBack, returnAllow),
  ];
  return Buffer.concat(program);
}

function instructions(code: number, operand: number, jumps: { hit: number; miss: number } = noJumps): Buffer[] {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(jumps.hit, 2);
  bytes.writeUInt8(jumps.miss, 3);
  bytes.writeUInt32LE(operand >>> 0, 4);
  return [bytes];
}

const noJumps = { hit: 0, miss: 0 };

function when(test: number, operand: number, verdict: number): Buffer[] {
  return [...instructions(test, operand, { hit: 0, miss: 1 }), ...instructions(giveBack, verdict)];
}

function unless(test: number, operand: number, verdict: number): Buffer[] {
  return [...instructions(test, operand, { hit: 1, miss: 0 }), ...instructions(giveBack, verdict)];
}

/** The body for one call; the others jump over it. */
function skipUnless(call: number, body: Buffer[]): Buffer[] {
  return [...instructions(jumpEqual, call, { hit: 0, miss: body.length }), ...body];
}
