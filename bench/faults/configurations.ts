import { type Agent, defineAgent } from '../../src/agent.ts';
import { builtinChecks } from '../../src/checks/checks.ts';
import { inMemoryHost } from '../../src/runtime/in-memory.ts';
import { direct } from '../../src/solver/direct.ts';
import { planAndSolve } from '../../src/solver/plan-and-solve/plan-and-solve.ts';
import { react } from '../../src/solver/react/react.ts';
import { verification } from '../../src/solver/verification/verification.ts';
import {
  type FaultyModel,
  type GeneratedTask,
  generatedTools,
  simulatedVerifier,
} from '../../src/testing/faulty-model.ts';
import { generatedCode } from './run-code.ts';
import { conditionsOf, testsOf } from './user-checks.ts';

export const configurationNames = ['full', 'react', 'direct'] as const;

export type ConfigurationName = (typeof configurationNames)[number];

/** The stated quality of the simulated verifier. */
export const verifierDetects = 0.9;

/** The agent that a configuration stands for. */
export function agentOf(name: ConfigurationName, model: FaultyModel, tasks: readonly GeneratedTask[]): Agent {
  const shared = { host: inMemoryHost({ keepFinished: 64 }), policy: { irreversible: 'deny' as const } };
  const tools = [...generatedTools(tasks), generatedCode()];
  switch (name) {
    case 'full':
      return defineAgent({
        ...shared,
        tools,
        model: { actor: model, verifier: simulatedVerifier({ tasks, detects: verifierDetects }) },
        layers: [
          verification({ checks: [...builtinChecks.values(), conditionsOf(tasks), testsOf(tasks)] }),
          planAndSolve(),
        ],
      });
    case 'react':
      return defineAgent({ ...shared, tools, model, solver: react() });
    case 'direct':
      return defineAgent({ ...shared, model, solver: direct() });
    default:
      return name satisfies never;
  }
}
