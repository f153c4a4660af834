import { messageOf } from '../../../core/errors.ts';
import { runProcess } from '../../process/run-process.ts';
import { type Confined, confinedRun } from './bubblewrap.ts';

export interface Probe {
  works: boolean;
  /** Why not, and what to do; in a report on what works, what it is. */
  detail: string;
}

const probes = new Map<string, Promise<Probe>>();
const probeMs = 10_000;

/** Whether the program runs in bubblewrap here: one real run, remembered for the life of this process. */
export function probeConfined(confined: Confined): Promise<Probe> {
  const key = JSON.stringify([confined.program, confined.readable]);
  const known = probes.get(key);
  if (known) return known;
  const probe = tryConfined(confined);
  probes.set(key, probe);
  return probe;
}

async function tryConfined(confined: Confined): Promise<Probe> {
  if (process.platform !== 'linux') return { works: false, detail: 'bubblewrap is for Linux only' };
  try {
    const end = await runProcess({ ...confinedRun(confined), timeoutMs: probeMs, maxOutputBytes: 10_000 });
    if (end.code === 0) return { works: true, detail: '' };
    const said = end.stderr.toString('utf8').trim() || `exit code ${end.code}`;
    return {
      works: false,
      detail: `bubblewrap does not start ${confined.program} (${said}); allow unprivileged user namespaces or give the container the right to make them`,
    };
  } catch (error) {
    return {
      works: false,
      detail: `${messageOf(error)}; install bubblewrap and util-linux`,
    };
  }
}
