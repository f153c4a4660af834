/** The card beside a training file: what is in it, where it comes from, how it was judged, what was left out, what it is not good for. */
import { basename } from 'node:path';
import type { Knowledge } from '../../core/attempt.ts';
import type { ExportOptions, ExportSummary } from './export-data.ts';
import { type DropReason, dropReasons, type Tally } from './select-runs.ts';

export interface CardFacts {
  summary: ExportSummary;
  options: ExportOptions;
  tally: Tally;
  verdicts: ReadonlyMap<Knowledge, number>;
  /** Why the first row that did not fit did not. */
  unfit: string | undefined;
}

const titles: Record<ExportSummary['kind'], string> = {
  sft: 'Supervised fine-tuning',
  dpo: 'Preference pairs (DPO)',
  coh: 'Chain of Hindsight',
};

const judges: Record<Knowledge, string> = {
  tests: 'tests that were run',
  reference: 'a reference answer',
  schema: 'a schema',
  rules: 'checks in code',
  'another-model': 'the opinion of another model',
  self: 'the model itself',
};

/** The card as Markdown. */
export function cardText(facts: CardFacts): string {
  const { summary, options } = facts;
  const licence = options.licence ?? 'TO BE FILLED IN';
  return [
    '---',
    `license: ${JSON.stringify(licence)}`,
    '---',
    '',
    `# ${titles[summary.kind]}: training data from recorded agent runs`,
    '',
    `Made by \`assay export ${summary.kind}\` from ${options.source}, in the shape \`${summary.shape}\`.`,
    '',
    ...section('Files', filesTable(facts)),
    ...section('Runs and models', sources(facts)),
    ...section('How the answers were judged', verification(facts)),
    ...section('What was left out', filters(facts)),
    ...section('Splits', [splits(facts)]),
    ...(summary.lengths ? section('Lengths', [lengths(summary.lengths)]) : []),
    ...section('Known limits', limits(facts)),
    ...section('Licence', [
      options.licence ??
        'To be filled in by whoever publishes this: it depends on the tasks, the tools and the terms of the models.',
    ]),
  ].join('\n');
}

function section(title: string, lines: readonly string[]): string[] {
  return [`## ${title}`, '', ...lines, ''];
}

function filesTable({ summary }: CardFacts): string[] {
  return [
    '| file | rows | bytes | SHA-256 |',
    '| --- | ---: | ---: | --- |',
    ...summary.files.map(({ path, rows, bytes, sha256 }) => `| ${basename(path)} | ${rows} | ${bytes} | ${sha256} |`),
  ];
}

function sources({ summary, tally }: CardFacts): string[] {
  const listed = (title: string, counts: ReadonlyMap<string, number>): string[] =>
    [...counts].map(([name, count]) => `- ${title} ${cell(name)}: ${count} runs`);
  return [
    `${summary.runs} runs were read, ${summary.used} are in the data.`,
    '',
    ...[...tally.suites].map((name) => `- suite ${cell(name)}`),
    ...listed('configuration', tally.configurations),
    ...listed('model', tally.models),
  ];
}

function verification({ summary, verdicts }: CardFacts): string[] {
  const rows = summary.files.reduce((sum, file) => sum + file.rows, 0);
  return [
    'Every answer was judged from outside the model that wrote it. Examples by what the judge goes by:',
    '',
    ...[...verdicts].map(([knows, count]) => `- ${judges[knows]}: ${count}`),
    ...(summary.modelJudged > 0
      ? [
          '',
          `**${summary.modelJudged} of them rest on the opinion of a model**, which may be wrong in ways of its own.`,
        ]
      : []),
    ...(summary.kind === 'sft'
      ? ['', `${summary.rebuilt} conversations are the recorded ones (${rows} rows in all).`]
      : []),
  ];
}

function filters({ summary, unfit }: CardFacts): string[] {
  // Only the tally writes these, and its keys are the reasons.
  const dropped = Object.entries(summary.dropped) as [DropReason, number][];
  if (dropped.length === 0) return ['Nothing.'];
  return [
    '| why | how many |',
    '| --- | ---: |',
    ...dropped.map(([reason, count]) => `| ${dropReasons[reason]} | ${count} |`),
    ...(unfit === undefined ? [] : ['', `The first row that did not fit: ${cell(unfit)}`]),
  ];
}

function splits({ summary, options }: CardFacts): string {
  const seed = options.seed ?? 'assay';
  return summary.files.length > 1
    ? `By task (seed \`${cell(seed)}\`): no task and no question is in both files.`
    : 'There is one file and no validation split.';
}

function lengths({ pairs, meanChosen, meanRejected, chosenLonger }: NonNullable<ExportSummary['lengths']>): string {
  return (
    `${pairs} pairs: the chosen answer has ${meanChosen.toFixed(0)} characters on average, the rejected one ${meanRejected.toFixed(0)}; ` +
    `the chosen one is longer in ${(100 * chosenLonger).toFixed(0)} % of the pairs. Far from 50 %, training would learn the length.`
  );
}

function limits({ summary, options, tally }: CardFacts): string[] {
  const standIns = [...tally.models.keys()].filter((name) => !name.endsWith('(provider)'));
  return [
    ...(standIns.length > 0
      ? [
          `- **Simulated or unknown models wrote answers here** (${standIns.map(cell).join(', ')}): not data of a real model.`,
        ]
      : []),
    ...(summary.unseenEvidence > 0
      ? [
          `- ${summary.unseenEvidence} examples hold answers that rest on tool results which are not in the row. A model that learns ` +
            'them learns to answer without looking; `toolAnswers: drop` leaves them out.',
        ]
      : []),
    ...(options.allowTestSets
      ? ['- Tasks of public test sets were let in: the model can no longer be measured with them.']
      : []),
    '- A verdict is as good as its judge: what was not checked may still be wrong.',
    `- Secrets were replaced by markers; personal data ${options.redactPersonal ? 'were searched for as email addresses and phone numbers only' : 'were not searched for'}.`,
    ...shapeLimits[summary.kind],
    '- The rows were checked against the documented shapes, not by the trainers that read them.',
  ];
}

const shapeLimits: Record<ExportSummary['kind'], string[]> = {
  sft: [
    '- Reasoning that providers return apart is not in the conversations. Turns that the program sent back have the weight 0 in the shape ' +
      '`openai`, are no row of `trl-completion`, and cannot be told apart in the shape `trl`.',
    '- Readers that put all rows into one table may fill in the arguments that only other calls have with null.',
  ],
  dpo: ['- Both answers stand without the conversation that led to them.'],
  coh: [
    '- Where rows have token spans, each segment was tokenised by itself: encode the segments one by one too.',
    '- `masked` lists tokens that later ones must not attend to; it is drawn once, not anew in each epoch as in the paper.',
    '- The paper also trains on its pre-training data, against forgetting; that is not part of this file.',
  ],
};

/** Text from outside on one line of Markdown. */
function cell(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').trim();
}
