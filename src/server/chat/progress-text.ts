import type { RunEvent } from '../../core/event.ts';

const longest = 200;

/** How far a run is, in one line; undefined for an event that does not tell. Drafts are not told: they may be revised. */
export function progressText(event: RunEvent): string | undefined {
  const text = textOf(event)?.replace(/[\s\p{C}\p{Zl}\p{Zp}]+/gu, ' ');
  return text !== undefined && text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

function textOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'run.start':
      return `started with ${event.model}`;
    case 'plan.made':
      return `plan: ${event.plan.steps.map(({ objective }) => objective).join('; ')}`;
    case 'plan.updated':
      return `step ${event.step}: ${event.status}`;
    case 'step.start':
      return `step ${event.step}: ${event.objective}`;
    case 'model.retry':
      return `the model is asked again in ${event.waitMs} ms: ${event.why}`;
    case 'model.fallback':
      return `${event.to} answers in place of ${event.from}: ${event.why}`;
    case 'tool.call':
      return `${event.observation}: ${event.tool} ${JSON.stringify(event.args)}`;
    case 'tool.result':
      return `${event.observation}: ${event.status}, ${event.chars} characters`;
    case 'tool.refused':
      return `${event.tool} was refused: ${event.why}`;
    case 'approval.requested':
      return `${event.tool} needs a human's word: ${event.why}`;
    case 'approval.decided':
      return event.approved ? 'approved' : `denied: ${event.reason}`;
    case 'verify.report':
      return `${event.report.by}: ${event.report.verdict}, ${event.report.issues.length} issues`;
    case 'refine.made':
      return `revision ${event.round}: ${event.issues.length} issues to mend`;
    case 'trial.start':
      return `trial ${event.trial}`;
    default:
      return undefined;
  }
}
