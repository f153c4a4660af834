import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as z from 'zod';
import { standsIn } from '../../checks/quote-text.ts';
import { messageOf } from '../../core/errors.ts';
import { parseJson } from '../../model/parse.ts';
import { functionModel, type ModelFunction } from '../../model/providers/function-model.ts';
import { redactor } from '../../trace/redact.ts';
import type { FailureLabel } from '../findings.ts';
import type { FailedRun } from './failed-run.ts';
import { triageAgain, triagePrompt, triageSystem } from './prompts.ts';
import { at, excerpt } from './rule.ts';
import { remedyOf, type SelectionRow, selectionTable } from './selection-table.ts';

/** Who is asked about failures that no rule knows: a model object, or a function of a system text and a prompt. */
export type TriageModel = LanguageModelV4 | ModelFunction;

const Opinion = z.object({
  symptom: z.string(),
  why: z.string().min(1),
  evidence: z.array(z.object({ where: z.string(), quote: z.string().min(1) })).default([]),
});

interface Place {
  where: string;
  text: string;
}

const tries = 2;
const longestPlace = 1_500;
const mostPlaces = 40;

/**
 * The label as a model sees it, marked `by: 'model'`. It counts only with evidence that exists, quoted word for word: without it, and where
 * the model could not be asked or says that it does not know, the label comes back as it was, with the reason.
 */
export async function askModel(failure: FailedRun, label: FailureLabel, model: TriageModel): Promise<FailureLabel> {
  const places = placesOf(failure);
  const asked = triagePrompt(places);
  let prompt = asked;
  let fault = '';
  for (let attempt = 0; attempt < tries; attempt++) {
    let said: string;
    try {
      said = await replyOf(model, prompt);
    } catch (error) {
      return unlabelled(label, `the model could not be asked: ${redactor().text(messageOf(error))}`);
    }
    const judged = judge(said, places);
    if (judged === 'unknown') return unlabelled(label, 'the model does not know either');
    if (typeof judged !== 'string') {
      const { row, why, evidence } = judged;
      return { ...label, layer: row.layer, rule: 'model', by: 'model', why, evidence, remedy: remedyOf(row) };
    }
    fault = judged;
    prompt = triageAgain(asked, said, fault);
  }
  return unlabelled(label, `what the model said could not be used: ${fault}`);
}

function unlabelled(label: FailureLabel, why: string): FailureLabel {
  return { ...label, why: `${label.why} Asked: ${why}.` };
}

/** What can be used of a reply, or what is wrong with it. */
function judge(said: string, places: readonly Place[]): { row: SelectionRow; why: string; evidence: Place[] } | string {
  const parsed = parseJson(said);
  if (!parsed.ok) return parsed.message;
  const read = Opinion.safeParse(parsed.value);
  if (!read.success) return z.prettifyError(read.error);
  const { symptom, why, evidence } = read.data;
  if (symptom === 'unknown') return 'unknown';
  const row = selectionTable.find((candidate) => candidate.symptom === symptom);
  if (!row) return `there is no symptom '${symptom}'`;
  const real = evidence.filter(({ where, quote }) =>
    places.some((place) => place.where === where && standsIn(quote, place.text)),
  );
  if (real.length === 0) return 'no piece of evidence stands where it is said to stand';
  return { row, why: excerpt(why), evidence: real.map(({ where, quote }) => at(where, quote)) };
}

async function replyOf(model: TriageModel, prompt: string): Promise<string> {
  const spoken = typeof model === 'function' ? functionModel(model) : model;
  const { content } = await spoken.doGenerate({
    prompt: [
      { role: 'system', content: triageSystem },
      { role: 'user', content: [{ type: 'text', text: prompt }] },
    ],
  });
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** What is recorded of a failure as named places, secrets redacted, each cut to what a reader needs. */
function placesOf({ task, attempt, events, grade, error, reason }: FailedRun): Place[] {
  const { answer, claims, plan, reports, observations, ended } = attempt;
  const told = events.filter(
    ({ type }) => type === 'tool.refused' || type === 'turn.invalid' || type === 'plan.failed',
  );
  const places: (Place | undefined)[] = [
    place('task.input', task.input),
    place('task.constraints', (task.constraints ?? []).join('\n')),
    place('task.expected', task.expected === undefined ? '' : JSON.stringify(task.expected)),
    place('answer', answer ?? '(none)'),
    place('claims', claims.map(({ text }) => text).join('\n')),
    place('grade', grade?.why ?? ''),
    place('error', error ?? ''),
    place('reason', reason ? `${reason.code}: ${reason.detail}` : ''),
    place('attempt.ended', ended.type === 'final' ? '' : ended.detail),
    place(
      'plan',
      plan ? plan.steps.map(({ id, objective, status }) => `${id} ${status}: ${objective}`).join('\n') : '',
    ),
    ...reports.map(({ by, verdict, issues }, index) =>
      place(`reports.${index}`, [`${by}: ${verdict}`, ...issues.map(({ detail }) => detail)].join('\n')),
    ),
    ...observations.map(({ id, tool, args, status, content }) =>
      place(id, `${tool} ${JSON.stringify(args)} ${status}: ${content}`),
    ),
    ...told.map((event) => place(event.id, 'why' in event ? event.why : '')),
  ];
  return places.filter((one) => one !== undefined).slice(0, mostPlaces);
}

function place(where: string, text: string): Place | undefined {
  const clean = redactor().text(text);
  if (clean.trim() === '') return undefined;
  return { where, text: clean.length > longestPlace ? `${clean.slice(0, longestPlace)}…` : clean };
}
