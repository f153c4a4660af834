import type { Brief } from '../../core/brief.ts';
import { type Transcript, transcriptOf, userMessage } from '../../core/transcript.ts';
import type { Run } from '../solver.ts';
import { sourceCharacters } from './context-room.ts';
import { revisionText, taskText, withRevised } from './prompts.ts';
import { protocolOf, specsOf } from './protocol.ts';

/** The first messages of an attempt: the rules, the task with all that is known of it, and a draft that is to be mended. */
export function opening(brief: Brief, run: Run, date: string): Transcript {
  const given = withRevised(brief);
  const shown = sourceCharacters(run, 'actor', given.evidence.length);
  return transcriptOf(
    { role: 'system', content: protocolOf(run).system(specsOf(run, given)) },
    userMessage(taskText(given, { date, boundary: run.boundary, shown })),
    ...(brief.revise ? [userMessage(revisionText(brief.revise))] : []),
  );
}
