import { type Confined, type ConfinedLimits, confinedRun, systemProgram } from '../sandbox/bubblewrap.ts';
import { probeConfined } from '../sandbox/probe.ts';
import { nodeMain } from './node-program.ts';
import { pythonMain } from './python-program.ts';
import { type CodeLimits, type Language, maxResultChars, type Offer } from './sandbox.ts';

/** Python starts no more than a few processes of its own; Node has a dozen threads. */
const processes = 32;
const fileMb = 64;

/** python3 or this program's own Node in bubblewrap. */
export async function nativeSandbox(language: Language): Promise<Offer> {
  const interpreter = language === 'python' ? pythonInterpreter() : nodeInterpreter();
  if (!interpreter) return { missing: 'no python3 in /usr/bin, /bin or /usr/local/bin; install python3' };
  const { program, args, readable } = interpreter;
  const probe = await probeConfined({
    program,
    readable,
    args: interpreter.probeArgs,
    limits: confinedLimits(interpreter, probeLimits),
  });
  if (!probe.works) return { missing: probe.detail };
  return {
    sandbox: {
      label: `${interpreter.name} in bubblewrap`,
      start: ({ code, stdin }, limits) => ({
        ...confinedRun({ program, args, readable, limits: confinedLimits(interpreter, limits) }),
        input: stdin,
        request: JSON.stringify({ code, typescript: language === 'typescript', maxResultChars }),
      }),
    },
  };
}

interface Interpreter extends Pick<Confined, 'program' | 'args' | 'readable'> {
  name: string;
  /** Of a run that does nothing. */
  probeArgs: string[];
  memoryIs: ConfinedLimits['memoryIs'];
  /** What it needs beside the memory of the code. */
  ownMemoryMb: number;
}

function pythonInterpreter(): Interpreter | undefined {
  const program = systemProgram('python3');
  if (program === undefined) return undefined;
  return {
    name: 'python3',
    program,
    args: ['-I', '-B', '-X', 'utf8', '-c', pythonMain],
    readable: program.startsWith('/usr/local/') ? ['/usr/local/lib'] : [],
    probeArgs: ['-I', '-c', '0'],
    memoryIs: 'address-space',
    ownMemoryMb: 64,
  };
}

function nodeInterpreter(): Interpreter {
  return {
    name: 'Node',
    program: process.execPath,
    args: ['--no-warnings', '--eval', nodeMain],
    readable: [],
    probeArgs: ['--eval', '0'],
    memoryIs: 'data',
    ownMemoryMb: 640,
  };
}

const probeLimits = { memoryMb: 256, timeoutMs: 10_000 };

function confinedLimits(
  { memoryIs, ownMemoryMb }: Interpreter,
  limits: Pick<CodeLimits, 'memoryMb' | 'timeoutMs'>,
): ConfinedLimits {
  // The processor time is a second limit, for what outlives the first: several threads may use it up sooner.
  const cpuSeconds = Math.ceil(limits.timeoutMs / 1_000) * 4 + 10;
  return { memoryMb: limits.memoryMb + ownMemoryMb, memoryIs, processes, fileMb, cpuSeconds };
}
