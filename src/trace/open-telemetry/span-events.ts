/** Facts that are told within a span: as its events, or as attributes of the span of their layer. */
import type { Attributes } from '@opentelemetry/api';
import type { Issue } from '../../core/attempt.ts';
import type { RunEvent } from '../../core/event.ts';
import type { EventOf } from './attributes.ts';

/** A fact with what may always be told of it, and the texts that need permission. */
export interface Fact {
  name: string;
  attributes: Attributes;
  texts?: Attributes;
}

/** The event of a span that tells this fact; undefined for facts that are spans or attributes themselves, or too many. */
export function factOf(event: RunEvent): Fact | undefined {
  switch (event.type) {
    case 'run.warning':
      return { name: 'assay.warning', attributes: {}, texts: { 'assay.why': event.why } };
    case 'approval.requested':
    case 'approval.decided':
    case 'tool.refused':
    case 'tool.late':
      return toolFact(event);
    case 'lesson.recalled':
    case 'lesson.admitted':
    case 'lesson.failed':
      return lessonFact(event);
    case 'plan.updated':
      return {
        name: 'assay.plan.updated',
        attributes: { 'assay.plan.step.status': event.status },
        texts: { 'assay.plan.step.id': event.step },
      };
    case 'plan.failed':
      return { name: 'assay.plan.failed', attributes: {}, texts: { 'assay.why': event.why } };
    case 'model.call':
    case 'model.retry':
    case 'model.fallback':
    case 'model.repaired':
      return modelFact(event);
    case 'tool.result':
      return event.limited
        ? { name: 'assay.limit', attributes: { 'assay.limit': event.limited, 'gen_ai.tool.name': event.tool } }
        : undefined;
    case 'turn.invalid':
      return { name: 'assay.turn.invalid', attributes: {}, texts: { 'assay.why': event.why } };
    case 'answer.drafted':
      return {
        name: 'assay.answer.drafted',
        attributes: { 'assay.claims': event.claims, 'assay.degraded': event.degraded },
        texts: { 'assay.answer': event.answer },
      };
    case 'verify.questions':
      return {
        name: 'assay.verify.questions',
        attributes: { 'assay.questions': event.questions.length },
        texts: { 'assay.verify.questions': event.questions },
      };
    case 'reflection.made':
      return {
        name: 'assay.reflection.made',
        attributes: { 'assay.trial.number': event.trial },
        texts: { 'assay.reflection': event.text },
      };
    case 'vote.made':
      return voteFact(event);
    case 'search.end':
      return {
        name: 'assay.search.end',
        attributes: { 'assay.search.visited': event.visited, 'assay.search.value': event.value },
        texts: { 'assay.search.best': event.best },
      };
    default:
      return undefined;
  }
}

function modelFact(
  event: EventOf<'model.call' | 'model.retry' | 'model.fallback' | 'model.repaired'>,
): Fact | undefined {
  switch (event.type) {
    case 'model.call':
      return wasNotAsked(event)
        ? { name: 'assay.limit', attributes: { 'assay.limit': event.detail, 'assay.step': event.step } }
        : undefined;
    case 'model.retry':
      return {
        name: 'assay.model.retry',
        attributes: { 'assay.attempt': event.attempt, 'assay.wait_ms': event.waitMs },
        texts: { 'assay.why': event.why },
      };
    case 'model.fallback':
      return {
        name: 'assay.model.fallback',
        attributes: { 'assay.role': event.role, 'assay.from': event.from, 'assay.to': event.to },
        texts: { 'assay.why': event.why },
      };
    case 'model.repaired':
      return { name: 'assay.model.repaired', attributes: { 'assay.repairs': event.how.length } };
    default:
      return event satisfies never;
  }
}

/** Whether the budget had no room for the call. One that ran out of time was made. */
export function wasNotAsked({ outcome, usage }: EventOf<'model.call'>): boolean {
  return outcome === 'refused' && usage.modelCalls === 0;
}

function toolFact(event: EventOf<'approval.requested' | 'approval.decided' | 'tool.refused' | 'tool.late'>): Fact {
  const name = `assay.${event.type}`;
  switch (event.type) {
    case 'approval.requested':
      return {
        name,
        attributes: { 'gen_ai.tool.name': event.tool, 'assay.approval.signal': event.signal },
        texts: { 'gen_ai.tool.call.arguments': JSON.stringify(event.args), 'assay.why': event.why },
      };
    case 'approval.decided':
      return {
        name,
        attributes: { 'assay.approval.signal': event.signal, 'assay.approved': event.approved },
        texts: { 'assay.why': event.reason },
      };
    case 'tool.refused': {
      // A name that is no tool's is a text of the model.
      const tool = { 'gen_ai.tool.name': event.tool };
      const known = event.cause !== 'invalid';
      return {
        name,
        attributes: { 'assay.refused': event.cause, ...(known && tool) },
        texts: { ...tool, 'assay.why': event.why },
      };
    }
    case 'tool.late':
      return { name, attributes: { 'gen_ai.tool.name': event.tool, 'assay.ms': event.ms } };
    default:
      return event satisfies never;
  }
}

function lessonFact(event: EventOf<'lesson.recalled' | 'lesson.admitted' | 'lesson.failed'>): Fact {
  const name = `assay.${event.type}`;
  switch (event.type) {
    case 'lesson.recalled': {
      const texts = event.lessons.map(({ trigger, lesson }) => `${trigger}: ${lesson}`);
      return {
        name,
        attributes: { 'assay.lesson.ids': event.lessons.map(({ id }) => id) },
        texts: { 'assay.lessons': texts },
      };
    }
    case 'lesson.admitted':
      return {
        name,
        attributes: { 'assay.lesson.id': event.id, 'assay.lesson.admitted': event.admitted },
        texts: { 'assay.why': event.why, 'assay.lesson': event.lesson },
      };
    case 'lesson.failed':
      return { name, attributes: { 'assay.lesson.what': event.what }, texts: { 'assay.why': event.why } };
    default:
      return event satisfies never;
  }
}

function voteFact({ votes, by, stoppedEarly, winner }: EventOf<'vote.made'>): Fact {
  return {
    name: 'assay.vote.made',
    attributes: {
      'assay.vote.counts': votes.map(({ count }) => count),
      'assay.vote.by': by,
      'assay.vote.stopped_early': stoppedEarly,
    },
    texts: { 'assay.vote.answers': votes.map(({ answer }) => answer), 'assay.vote.winner': winner },
  };
}

/** What the fact says about the span of its layer. */
export function layerFactOf(event: RunEvent): Omit<Fact, 'name'> | undefined {
  switch (event.type) {
    case 'plan.made':
      return {
        attributes: { 'assay.plan.steps': event.plan.steps.length },
        texts: { 'assay.plan': JSON.stringify(event.plan) },
      };
    case 'step.start':
      return { attributes: {}, texts: { 'assay.plan.step.id': event.step, 'assay.plan.objective': event.objective } };
    case 'verify.report': {
      const { by, knows, verdict, needsMoreTools, issues } = event.report;
      return {
        attributes: {
          'assay.verify.by': by,
          'assay.verify.knows': knows,
          'assay.verify.verdict': verdict,
          'assay.verify.needs_more_tools': needsMoreTools,
          'assay.issues': typesOf(issues),
        },
        texts: { 'assay.issues.details': issues.map(({ detail }) => detail) },
      };
    }
    case 'refine.made':
      return {
        attributes: {
          'assay.refine.round': event.round,
          'assay.refine.with_tools': event.withTools,
          'assay.issues': typesOf(event.issues),
        },
      };
    case 'trial.start':
      return { attributes: { 'assay.trial.number': event.trial, 'assay.reflections': event.reflections.length } };
    case 'trial.end':
      return {
        attributes: {
          'assay.trial.pass': event.pass,
          'assay.trial.score': event.score,
          'assay.trial.by': event.by,
          'assay.trial.knows': event.knows,
        },
        texts: { 'assay.trial.feedback': event.feedback },
      };
    case 'sample.end':
      return { attributes: { 'assay.sample.number': event.sample }, texts: { 'assay.answer': event.answer } };
    default:
      return undefined;
  }
}

function typesOf(issues: readonly Issue[]): string[] {
  return issues.map(({ type }) => type);
}
