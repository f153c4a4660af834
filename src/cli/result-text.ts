/** A Result for people: the answer with its evidence, then how it stands. */
import { safeAnswer } from '../checks/safe-answer.ts';
import type { Claim } from '../core/attempt.ts';
import type { Result } from '../core/result.ts';
import { cleanLine, cleanText } from './clean.ts';
import { commandName, shortId } from './hints.ts';
import { cost, duration, plural, tokensInAndOut } from './numbers.ts';
import type { Screen } from './screen.ts';
import type { Style } from './style.ts';
import { issueRows } from './timeline-rows.ts';
import { wrap } from './width.ts';

/** `typed`: the options that a command in a hint has to repeat. */
type Paper = Pick<Screen, 'outColumns' | 'outStyle'> & { typed?: string };

/** The answer, its claims with quotes and observation ids, and the status lines, ready for stdout. */
export function resultText(result: Result, paper: Paper): string {
  const { answer } = result;
  const body =
    answer === undefined
      ? []
      : [...lines(cleanText(safeAnswer({ ...result.attempt, answer })), 0, paper), '', ...claimLines(result, paper)];
  return [...body, ...statusLines(result, paper)].join('\n');
}

/** The Result as a program wants it: without the loop's own working state, which is in the journal. */
export function resultJson(result: Result): unknown {
  const { state: _state, ...attempt } = result.attempt;
  return { ...result, attempt };
}

/** Claims with the words that carry them. */
export function claimLines(result: Result, paper: Paper): string[] {
  const { claims } = result.attempt;
  if (claims.length === 0) return [];
  const style = paper.outStyle;
  return [style.bold('Evidence'), ...claims.flatMap((claim, index) => claimText(claim, index + 1, paper)), ''];
}

function claimText(claim: Claim, number: number, paper: Paper): string[] {
  const style = paper.outStyle;
  const said = lines(`${number}. ${cleanLine(claim.text)}`, 2, paper);
  if (claim.evidence.length === 0) return [...said, style.yellow('     no observation carries this')];
  const quotes = claim.evidence.flatMap(({ observation, quote }) =>
    lines(`${cleanLine(observation)}: "${cleanLine(quote)}"`, 5, paper).map(style.dim),
  );
  return [...said, ...quotes];
}

/** How the run ended, what to know about it, and what it took. */
export function statusLines(result: Result, paper: Paper): string[] {
  const { status, usage, metrics, runId } = result;
  const style = paper.outStyle;
  const [head = '', ...rest] = lines(`${status.replaceAll('_', ' ')}: ${reasonText(result)}`, 0, paper);
  const facts = [
    plural(usage.modelCalls, 'model call'),
    plural(usage.toolCalls, 'tool call'),
    tokensInAndOut(usage),
    cost(usage),
    duration(metrics.activeMs),
  ].join(' · ');
  return [
    style[toneOf(status)](style.bold(head)),
    ...rest,
    ...openIssues(result, paper),
    ...warnings(result).flatMap((text) => lines(text, 0, paper).map(style.yellow)),
    ...lines(facts, 0, paper).map(style.dim),
    style.dim(`run ${runId}`),
    // Never wrapped: a command that is cut in two cannot be pasted.
    ...nextSteps(result, paper.typed ?? '').map(style.dim),
  ];
}

/** The reason, without what stands in the lines around it anyway. */
function reasonText({ reason, attempt }: Result): string {
  switch (reason.code) {
    case 'awaiting-approval':
      return 'a human has to decide on what it wants to do';
    case 'unchecked':
    case 'open-issues':
      return `${plural(attempt.reports.at(-1)?.issues.length ?? 0, 'open issue')}`;
    default:
      return cleanText(reason.detail);
  }
}

function openIssues(result: Result, paper: Paper): string[] {
  const { status, attempt } = result;
  if (status === 'completed' || status === 'revised') return [];
  return (attempt.reports.at(-1)?.issues ?? [])
    .flatMap(issueRows)
    .flatMap((row) => lines(row.text, 2 + (row.indent ?? 0), paper));
}

function warnings(result: Result): string[] {
  const found: string[] = [];
  if (result.selfChecked)
    found.push('Note: only the model that wrote the answer has judged it; no check by code had anything to look at.');
  if (result.attempt.degraded && result.answer !== undefined)
    found.push('Note: this is a last answer, forced when a limit was reached. It was not worked out to the end.');
  return found;
}

/** What the user can type now, for the endings that ask for something. */
function nextSteps(result: Result, typed: string): string[] {
  const id = shortId(result.runId);
  const name = commandName();
  switch (result.status) {
    case 'awaiting_approval':
      return [`Decide: ${name} approve ${id}${typed}   or   ${name} deny ${id}${typed} --reason TEXT`];
    case 'stopped': {
      const option = moreOf[result.reason.code];
      return option === undefined ? [] : [`Go on with more: ${name} resume ${id}${typed} ${option}`];
    }
    case 'failed':
      return [`Look into it: ${name} show ${id}${typed} --events`];
    default:
      return [];
  }
}

/** The option that raises each limit, by the code of the reason. */
const moreOf: Readonly<Record<string, string>> = {
  steps: '--max-steps N',
  modelCalls: '--budget-calls N',
  toolCalls: '--budget-calls N',
  tokens: '--budget-tokens N',
  usd: '--budget-usd N',
  ms: '--timeout SECONDS',
};

function toneOf(status: Result['status']): keyof Style {
  switch (status) {
    case 'completed':
    case 'revised':
      return 'green';
    case 'failed':
    case 'cancelled':
      return 'red';
    default:
      return 'yellow';
  }
}

function lines(text: string, indent: number, paper: Paper): string[] {
  const left = ' '.repeat(indent);
  const room = paper.outColumns === undefined ? undefined : paper.outColumns - indent;
  return (room === undefined ? text.split('\n') : wrap(text, room)).map((line) => left + line);
}
