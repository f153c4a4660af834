import { createInterface } from 'node:readline/promises';

/** Asks the human at the terminal. Anything but a clear yes is a no, also the end of the input. */
export async function askYes(question: string): Promise<boolean> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  // The reader takes Ctrl-C as a key of its own; the process has to hear of it.
  reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const ended = new Promise<string>((resolve) => {
    reader.once('close', () => resolve(''));
  });
  try {
    return /^\s*(y|yes|是|好)\s*$/i.test(
      await Promise.race([reader.question(`${question} y = yes, n = no [n]: `), ended]),
    );
  } finally {
    reader.close();
  }
}
