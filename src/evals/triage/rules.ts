import type { TriageRule } from './rule.ts';
import * as calls from './rules/calls.ts';
import * as decompose from './rules/decompose.ts';
import * as environment from './rules/environment.ts';
import * as expectedCalls from './rules/expected-calls.ts';
import * as memory from './rules/memory.ts';
import * as model from './rules/model.ts';
import * as search from './rules/search.ts';
import * as unverified from './rules/unverified.ts';
import * as values from './rules/values.ts';
import * as verdicts from './rules/verdicts.ts';

/**
 * The rules in the order in which they are asked; the first that applies labels the failure. From the evidence that leaves no doubt to
 * the least: how the run ended, then what stands in the trace and was not used, then what was broken, then what was never there.
 */
export const triageRules: readonly TriageRule[] = [
  environment.awaitingApproval,
  environment.providerFailed,
  model.modelRefused,
  model.requestRejected,
  environment.interrupted,
  values.wrongCode,
  model.unusableReply,
  decompose.invalidPlan,
  environment.notPermitted,
  calls.toolErrorLoop,
  environment.toolUnreachable,
  model.unknownTools,
  model.malformedActions,
  decompose.planTooLong,
  calls.repeatedCall,
  calls.noProgress,
  calls.lookupsInVain,
  environment.limitTooSmall,

  memory.lessonMisled,
  memory.lessonUnheeded,
  search.voteLost,
  verdicts.falseObjection,
  search.rightDraftLost,
  search.rightBranchPruned,
  memory.stableBias,

  decompose.constraintMissed,
  unverified.constraintUnchecked,
  unverified.shapeUnchecked,
  decompose.partMissed,
  decompose.constraintIgnored,

  environment.dataNotThere,
  expectedCalls.wrongArguments,
  expectedCalls.neededCall,
  expectedCalls.uncalledFor,
  verdicts.passedWrongComputation,
  verdicts.passedUnsupported,
  verdicts.passedOffEvidence,
  verdicts.verifierUnchecked,
  search.failedStepLeft,
  decompose.wrongOrder,
  values.wrongComputation,
  values.wrongUnit,
  unverified.nearlyRight,
  values.staleValue,
  values.wrongInput,
  values.otherRowClaimed,
  values.wrongValueTaken,
  unverified.offEvidence,
  calls.callsAllFail,
  search.gaveUpEarly,
  values.nothingLookedUp,
  values.computedByHead,
  unverified.unsupportedClaim,
  values.computedFromWrong,
  values.neverRead,
  unverified.noClaims,
  unverified.wrongConclusion,
  unverified.wordsUnchecked,
  verdicts.leftUnmended,
  unverified.otherWords,
];
