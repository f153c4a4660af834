/** How a draft is backed by the observations that a prompt shows, and what the faults of citing make of it. */
import type { Claim, Final } from '../../core/attempt.ts';
import type { Conversation, ShownObservation } from './conversation.ts';
import { chanceOf, Draws } from './draws.ts';
import type { FaultName } from './faults.ts';
import type { Draft } from './generated-task.ts';

/** The final answer of a draft, each quote with the observation that holds it. */
export function cited(draft: Draft, observations: readonly ShownObservation[]): Final {
  const claims = draft.claims.map(
    ({ text, quotes }): Claim => ({
      text,
      evidence: quotes.map((quote) => ({ observation: holderOf(quote, observations), quote })),
    }),
  );
  return { answer: draft.answer, claims };
}

function holderOf(quote: string, observations: readonly ShownObservation[]): string {
  const holder = observations.find(({ text }) => text.includes(quote)) ?? observations.at(-1);
  return holder?.id ?? 'obs-1';
}

/** The same answer with a fault in how it is backed. */
export function miscited(final: Final, fault: FaultName, conversation: Conversation): Final {
  const { task, observations } = conversation;
  const chosen = Math.floor(chanceOf(task.id, fault) * final.claims.length);
  switch (fault) {
    case 'fabricated-observation':
      return changed(final, chosen, ({ quote }) => ({ observation: `obs-${observations.length + 2}`, quote }));
    case 'quote-not-in-source':
      return changed(final, chosen, ({ observation, quote }) => ({
        observation,
        quote: misquoted(quote, conversation),
      }));
    case 'missing-claims':
      return { ...final, claims: [] };
    default:
      return final;
  }
}

type Evidence = Claim['evidence'][number];

function changed(final: Final, chosen: number, change: (evidence: Evidence) => Evidence): Final {
  const claims = final.claims.map((claim, index) =>
    index === chosen ? { ...claim, evidence: claim.evidence.map(change) } : claim,
  );
  return { ...final, claims };
}

/** The quote as somebody remembers it: a word more, or one less, or two the other way round. */
function misquoted(quote: string, { task, text }: Conversation): string {
  const draws = new Draws(`${task.id}\n${quote}`);
  const words = task.language === 'zh' ? [...quote] : quote.split(' ');
  const glue = task.language === 'zh' ? '' : ' ';
  const added = task.language === 'zh' ? '据说' : 'reportedly';
  return draws.until(
    () => {
      const at = draws.whole(1, words.length - 1);
      const swapped = words.toSpliced(at - 1, 2, words[at] ?? '', words[at - 1] ?? '');
      return draws.pick([words.toSpliced(at, 0, added), words.toSpliced(at, 1), swapped]).join(glue);
    },
    (made) => !lettersOf(text).includes(lettersOf(made)),
  );
}

/** Letters and digits alone: a quote that differs in nothing else is no misquote. */
function lettersOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '');
}
