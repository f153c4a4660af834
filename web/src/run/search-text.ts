/** What lines about trials, samples and searches say. */
import type { Texts } from '../i18n/english.ts';
import { count } from '../parts/amounts.ts';
import type { Tone } from '../parts/badge.tsx';
import type { EventOf, Teller } from './entry-text.ts';

type SearchType =
  | 'trial.start'
  | 'trial.end'
  | 'reflection.made'
  | 'sample.end'
  | 'vote.made'
  | 'search.node'
  | 'search.end';

export type NodeVerdict = EventOf<'search.node'>['verdict'];

/** How a state of a search is marked. */
export const nodeBadges: Readonly<Record<NodeVerdict, [Tone, keyof Texts]>> = {
  kept: ['plain', 'nodeKept'],
  pruned: ['plain', 'nodePruned'],
  duplicate: ['plain', 'nodeDuplicate'],
  solution: ['good', 'nodeSolution'],
};

export const searchTellers: { [Type in SearchType]: Teller<Type> } = {
  'trial.start': ({ trial, reflections }, t) => ({
    icon: 'turn',
    label: `${t.eventTrial} ${trial}`,
    text: reflections.join(' · '),
    isHead: true,
  }),
  'trial.end': ({ trial, by, pass, feedback, score }, t) => ({
    icon: 'check',
    label: `${t.eventTrial} ${trial}`,
    subject: by,
    text: feedback,
    state: pass ? ['good', t.verdictPass] : ['bad', t.verdictFail],
    figure: score.toFixed(2),
  }),
  'reflection.made': ({ text }, t) => ({ icon: 'lesson', label: t.eventReflection, text }),
  'sample.end': ({ sample, vote }, t) => ({ icon: 'answer', label: `${t.eventSample} ${sample + 1}`, text: vote }),
  'vote.made': ({ winner, votes, by }, t) => ({
    icon: 'check',
    label: t.eventVote,
    subject: by,
    text: winner,
    figure: votes.map((vote) => count(vote.count)).join(' : '),
  }),
  'search.node': ({ state, value, verdict }, t) => {
    const [tone, key] = nodeBadges[verdict];
    return { icon: 'tree', label: t.eventNode, text: state, state: [tone, t[key]], figure: value.toFixed(2) };
  },
  'search.end': ({ best, visited, value }, t) => ({
    icon: 'tree',
    label: t.eventSearchEnd,
    text: best,
    figure: `${count(visited)} · ${value.toFixed(2)}`,
    isHead: true,
  }),
};
