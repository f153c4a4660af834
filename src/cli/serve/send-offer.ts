import { hash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { type Tool, tool } from '../../tools/tool.ts';

/** The tool with an effect that the demo has: an offer is "sent" by a file in the folder `outbox`, and by nothing else. */
export function sendOffer(outbox: string): Tool {
  return tool({
    name: 'sendOffer',
    description: 'Sends an offer to a customer.',
    input: z.object({
      to: z.string().min(1).max(200).describe('The address it goes to.'),
      subject: z.string().min(1).max(200),
      text: z.string().min(1).max(10_000),
    }),
    effect: 'write',
    idempotent: true,
    // It tells what this program did.
    trust: 'trusted',
    run: ({ to, subject, text }, { idempotencyKey }) => {
      // The same call writes the same file, however often it is executed.
      const name = `offer-${hash('sha256', idempotencyKey).slice(0, 12)}.txt`;
      mkdirSync(outbox, { recursive: true });
      writeFileSync(join(outbox, name), `To: ${to}\nSubject: ${subject}\n\n${text}\n`);
      return `The offer to ${to} is in the outbox, as ${name}.`;
    },
  });
}
