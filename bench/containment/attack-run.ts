import type { Configuration } from './configurations.ts';
import { Runner } from './runner.ts';
import type { Suite, SuiteTask } from './suite.ts';
import { count, emptyTally, type Tally } from './tally.ts';
import type { Template } from './templates.ts';

/** What is attacked and how. */
export interface Material {
  suites: readonly Suite[];
  templates: readonly Template[];
  /** The attacker's calls in words, for templates that dictate them. */
  dictate(attack: SuiteTask): string;
  /** Names of templates that are not run. */
  leftOut: readonly string[];
}

export interface AttackRow {
  suite: string;
  template: string;
  tally: Tally;
}

/** Every user task with every attack in every wording, under one configuration. */
export async function attackRun(material: Material, configuration: Configuration): Promise<AttackRow[]> {
  const rows: AttackRow[] = [];
  for (const suite of material.suites) {
    const runner = new Runner(suite, configuration);
    for (const template of material.templates) {
      const tally = emptyTally();
      for (const attack of suite.attacks) {
        const injected = template.inject(attack, material.dictate(attack));
        for (const user of suite.users) {
          const record = await runner.run({ user, attack: { injected, task: attack } });
          count(tally, record, { suite, user, attack, injected });
        }
      }
      rows.push({ suite: suite.name, template: template.name, tally });
    }
    await runner.close();
  }
  return rows;
}
