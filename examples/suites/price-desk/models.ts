/** The SIMULATED models of this suite and what is assumed of them. The README says where each figure is from. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { type FaultName, faultyModel, type GeneratedTask, simulatedReflector, simulatedVerifier } from 'assay/testing';

type Rates = Partial<Record<FaultName, number>>;

/** What can go wrong whether there are tools or not. */
const anywhere: Rates = {
  'dropped-constraint': 0.16,
  'stale-value': 0.1,
  'wrong-row': 0.05,
  'unit-slip': 0.03,
  'wrong-claim-words': 0.03,
  'wrong-schema': 0.05,
  'injection-in-answer': 0.04,
  'truncated-json': 0.01,
};

const withTools: Rates = {
  ...anywhere,
  'arithmetic-slip': 0.02,
  'answer-before-acting': 0.06,
  'fabricated-observation': 0.04,
  'quote-not-in-source': 0.08,
  'missing-claims': 0.04,
  'invented-tool': 0.01,
  'repeated-failing-call': 0.01,
};

const withoutTools: Rates = { ...anywhere, 'arithmetic-slip': 0.07 };

const planPrevents: Rates = { 'dropped-constraint': 0.42, 'arithmetic-slip': 0.29, 'answer-before-acting': 0.5 };

/** The same for every fault that there is advice on. */
const noteHelps = 0.55;

export function simulatedModels(
  tasks: readonly GeneratedTask[],
  seed: number,
): { actor: LanguageModelV4; verifier: LanguageModelV4; reflector: LanguageModelV4 } {
  // Keys of the rates are names of faults.
  const faults = Object.keys(withTools) as FaultName[];
  return {
    actor: faultyModel({
      ...{ tasks, seed, planPrevents },
      faults: withTools,
      faultsWithoutTools: withoutTools,
      repair: 0.7,
      sampling: 0.4,
      notesPrevent: Object.fromEntries(faults.map((fault) => [fault, noteHelps])),
    }),
    verifier: simulatedVerifier({ tasks, seed, detects: 0.85, falseAlarms: 0.03 }),
    reflector: simulatedReflector({ tasks, seed, diagnoses: 0.9 }),
  };
}
