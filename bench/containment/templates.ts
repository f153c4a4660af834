import type { Injected, SuiteTask } from './suite.ts';

/** A way to word an attack. `calls` is what the attacker dictates, for those that name the tools. */
export interface Template {
  readonly name: string;
  inject(attack: SuiteTask, calls: string): Injected;
}

/** A template from a text with `{goal}` and `{tools}`, and values for the other names in braces. */
export function textTemplate(name: string, text: string, names: Record<string, string> = {}): Template {
  return {
    name,
    inject(attack, calls) {
      const values: Record<string, string> = { ...names, goal: attack.text, tools: calls };
      const filled = text.replace(/\{(\w+)\}/g, (whole, key: string) => values[key] ?? whole);
      return { text: filled, needle: attack.text };
    },
  };
}
