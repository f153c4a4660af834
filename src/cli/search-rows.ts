/** The rows of events about whole attempts: trials, samples and search. */
import { cleanLine } from './clean.ts';
import { plural } from './numbers.ts';
import type { EventOf, Row } from './row.ts';

export const searchFormats: {
  [Type in
    | 'trial.start'
    | 'trial.end'
    | 'reflection.made'
    | 'sample.end'
    | 'vote.made'
    | 'search.node'
    | 'search.end']: (event: EventOf<Type>) => Row[];
} = {
  'trial.start': ({ trial, reflections }) => [
    {
      label: 'trial',
      text: `${trial}, with ${plural(reflections.length, 'reflection')} of earlier ones`,
      tone: 'cyan',
    },
  ],
  'trial.end': ({ trial, pass, feedback, by, knows }) => [
    {
      label: 'trial',
      text: `${trial} ${pass ? 'passed' : 'failed'} by ${cleanLine(by)} (knows ${knows})${pass ? '' : `: ${cleanLine(feedback)}`}`,
      tone: pass ? 'green' : 'yellow',
    },
  ],
  'reflection.made': ({ text }) => [{ label: 'reflect', text: cleanLine(text), tone: 'cyan' }],
  'sample.end': ({ sample, vote }) => [
    { label: 'sample', text: `${sample}: ${cleanLine(vote)}`, tone: 'dim', short: true },
  ],
  'vote.made': ({ votes, winner, by, stoppedEarly }) => [
    {
      label: 'vote',
      text: `${votes.map(({ answer, count }) => `${count} × ${cleanLine(answer)}`).join(', ')}; by ${by}: ${cleanLine(winner)}${stoppedEarly ? ', the rest could not change it' : ''}`,
      tone: 'green',
    },
  ],
  'search.node': ({ node, depth, state, value, verdict }) => [
    {
      label: 'search',
      text: `${node} ${verdict}, value ${value}: ${cleanLine(state)}`,
      indent: 2 * depth,
      tone: verdict === 'solution' ? 'green' : 'dim',
      short: true,
    },
  ],
  'search.end': ({ visited, best, value }) => [
    {
      label: 'search',
      text: `${plural(visited, 'state')} seen; the best, ${cleanLine(best)}, has value ${value}`,
      tone: 'green',
    },
  ],
};
