import { resolveToolName } from '../../tools/names.ts';

/** What a reply is read against. `used`: call ids of the transcript so far. `tools`: all that may be called. */
export interface IntakeContext {
  used: readonly string[];
  turn: number;
  tools: readonly { name: string }[];
}

/** Gives the calls of one reply ids and names that hold; `repairs` grows with what had to be changed. */
export interface Intake {
  id(given: string): string;
  tool(given: string): string;
  readonly repairs: string[];
}

/**
 * Ids: the provider's are kept where they are usable, since providers look their own up; blank and repeated ones are replaced.
 * Names: the tool or control action that is meant, so that the history shows what can be called; an unknown one stays as it is.
 */
export function intakeOf({ used, turn, tools }: IntakeContext): Intake {
  const taken: string[] = [];
  const repairs: string[] = [];
  const isFree = (id: string): boolean => id.trim() !== '' && !taken.includes(id) && !used.includes(id);
  return {
    repairs,
    id(given) {
      let chosen = given;
      // A revision counts its turns anew, and a model may have used an id of this kind itself.
      for (let n = 1; !isFree(chosen); n++) chosen = `call-${turn + 1}-${n}`;
      taken.push(chosen);
      return chosen;
    },
    tool(given) {
      if (tools.some(({ name }) => name === given)) return given;
      const named = resolveToolName(
        given,
        tools.map(({ name }) => name),
      );
      if (!named.ok) return given;
      repairs.push('tool-name');
      return named.name;
    },
  };
}
