/**
 * Who said what in a run whose models changed on the way: fallbacks, and forks that go on with another model.
 *
 * 1. What one model alone understands (reasoning, signatures, ids of its vendor) goes back to that model only: to others a message goes
 *    without them. So a switch costs what was thought, never a refused request, and no vendor sees what another one sealed.
 * 2. It is known from the replies in the journal, so a replay knows the same; prompts and their fingerprints do not depend on it.
 * 3. A message in doubt, since several answered the same prompt, is shown to everybody without.
 */
import type { LanguageModelV4, LanguageModelV4Message } from '@ai-sdk/provider';

/** Which model was asked. `provider` as its adapter says. */
export interface Speaker {
  model: string;
  provider: string;
}

/** One model was asked in place of another. `from` and `to` are `provider:model`. */
export interface Handover {
  from: string;
  to: string;
  why: string;
}

type AssistantMessage = Extract<LanguageModelV4Message, { role: 'assistant' }>;

export function speakerOf({ modelId, provider }: LanguageModelV4): Speaker {
  return { model: modelId, provider };
}

function isOf(a: LanguageModelV4, b: LanguageModelV4): boolean {
  return a.modelId === b.modelId && a.provider === b.provider;
}

function isSameSpeaker(a: Speaker, b: Speaker): boolean {
  return a.model === b.model && a.provider === b.provider;
}

/** A speaker as messages for people name it. */
export function nameOf({ model, provider }: Speaker): string {
  return `${provider.split('.')[0]}:${model}`;
}

/** The models that spoke in one execution of a run. */
export class Speakers {
  /** By the last message of the prompt that was answered. */
  readonly #answered = new WeakMap<LanguageModelV4Message, Speaker | 'several'>();
  /** By the model of a role, the one that answered in its place last. */
  readonly #instead = new Map<string, string>();
  #mixed = false;

  /** Notes who answered a prompt that was meant for `meant`. */
  note(prompt: readonly LanguageModelV4Message[], by: Speaker, meant: LanguageModelV4): void {
    const last = prompt.at(-1);
    if (!last) return;
    const before = this.#answered.get(last);
    const other = before !== undefined && (before === 'several' || !isSameSpeaker(before, by));
    this.#answered.set(last, other ? 'several' : by);
    if (by.model !== meant.modelId || by.provider !== meant.provider) this.#mixed = true;
  }

  /** The prompt as `to` may see it; the same array while one model has said everything. What nobody noted was said by `meant`. */
  promptFor(prompt: LanguageModelV4Message[], to: LanguageModelV4, meant: LanguageModelV4): LanguageModelV4Message[] {
    if (!this.#mixed && isOf(to, meant)) return prompt;
    const [asked, usual] = [speakerOf(to), speakerOf(meant)];
    return prompt.map((message, index) => {
      const before = prompt[index - 1];
      if (message.role !== 'assistant' || !before) return message;
      const by = this.#answered.get(before) ?? usual;
      return by !== 'several' && isSameSpeaker(by, asked) ? message : withoutItsOwn(message);
    });
  }

  /**
   * The handovers that a reply tells anew: those on the way to it, once while the same model goes on answering for another, and the way
   * back. In the order in which replies are delivered.
   */
  news(handovers: readonly Handover[] | undefined, by: Speaker): readonly Handover[] {
    const to = nameOf(by);
    const [first] = handovers ?? [];
    if (!handovers || !first) {
      const from = this.#instead.get(to);
      if (from === undefined) return [];
      this.#instead.delete(to);
      return [{ from, to, why: 'it is asked again' }];
    }
    if (this.#instead.get(first.from) === to) return [];
    this.#instead.set(first.from, to);
    return handovers;
  }
}

/** The same object every time, so that adapters know a history again. */
const stripped = new WeakMap<AssistantMessage, AssistantMessage>();

function withoutItsOwn(message: AssistantMessage): AssistantMessage {
  const known = stripped.get(message);
  if (known) return known;
  const content = message.content.flatMap((part) => {
    if (part.type === 'reasoning' || part.type === 'reasoning-file') return [];
    const { providerOptions: _sealed, ...rest } = part;
    return [rest];
  });
  const made: AssistantMessage = {
    role: 'assistant',
    content: content.length > 0 ? content : [{ type: 'text', text: '(nothing said)' }],
  };
  stripped.set(message, made);
  return made;
}
