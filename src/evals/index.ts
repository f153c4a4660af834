export { type AblateOptions, ablate, findingsOf } from './ablation/ablate.ts';
export { ladder, leaveOneOut, type Rung } from './ablation/ladder.ts';
export { recommendedConfig } from './ablation/recommended-config.ts';
export { type Measured, type VerdictOptions, verdictsOn } from './ablation/verdicts.ts';
export type {
  Comparison,
  ConfigurationMetrics,
  ConfigurationSummary,
  Estimate,
  EvalRecord,
  Evaluation,
  EvaluationHeader,
  ModelSummary,
  Outcome,
  RunFacts,
  Share,
} from './evaluation.ts';
export { reportOf } from './evaluation-report.ts';
export {
  type EvaluationRuns,
  type EvaluationShelf,
  type EvaluationSummary,
  evaluationShelf,
} from './evaluation-shelf.ts';
export type { CohOptions } from './export/coh.ts';
export type { DpoShape } from './export/dpo.ts';
export {
  type DpoOptions,
  type ExportedFile,
  type ExportOptions,
  type ExportSummary,
  exportCoh,
  exportDpo,
  exportSft,
  type SftOptions,
} from './export/export-data.ts';
export type {
  ChatCall,
  ChatMessage,
  ChatTool,
  Conversation,
  ExportAnswer,
  ExportModel,
  ExportRun,
  ExportVerdict,
} from './export/export-run.ts';
export { chinesePhrases, englishPhrases, type FeedbackPhrases } from './export/prompts.ts';
export { type ReadOptions, type RecordedSetting, readExportRuns } from './export/read-runs.ts';
export { type DropReason, dropReasons, type SelectOptions } from './export/select-runs.ts';
export type { SftShape } from './export/sft.ts';
export type { Tokenizer, TokenSpan } from './export/token-spans.ts';
export { failedRuns } from './failed-runs.ts';
export {
  type AblationFindings,
  type EqualBudgetControl,
  type EvaluationReport,
  type FailureLabel,
  type FailureLayer,
  failureLayers,
  type LabelEvidence,
  type Mechanism,
  type MechanismVerdict,
  mechanisms,
} from './findings.ts';
export { type Grade, type Graded, type Grader, gradeAll } from './grader.ts';
export { choice } from './graders/choice.ts';
export { type CodeTestsOptions, codeTests } from './graders/code-tests.ts';
export { type ExactOptions, exact } from './graders/exact.ts';
export { type FinalStateOptions, finalState } from './graders/final-state.ts';
export { type EvaluatorGraderOptions, fromCheck, fromEvaluator } from './graders/from-evaluator.ts';
export { game24 } from './graders/game24.ts';
export { type JsonOptions, json } from './graders/json.ts';
export { type Labels, label } from './graders/label.ts';
export {
  flipRate,
  type LengthControlledWinRate,
  lengthControlledWinRate,
  lengthCorrelation,
  type PairJudgement,
} from './graders/length-control.ts';
export { type NormalisedOptions, normalised } from './graders/normalised.ts';
export { type NumericOptions, numeric } from './graders/numeric.ts';
export { outputs } from './graders/outputs.ts';
export { pythonLiteral } from './graders/python-literal.ts';
export {
  type CriterionVerdict,
  pairOf,
  type RubricCriterion,
  type RubricGrade,
  type RubricOptions,
  rubric,
} from './graders/rubric.ts';
export { type SetOptions, set } from './graders/set.ts';
export { compare } from './metrics/compare.ts';
export { missedCriteria } from './metrics/criteria.ts';
export { metricsOf } from './metrics/metrics.ts';
export { regressionText } from './metrics/regression-text.ts';
export {
  type ConfigurationRegression,
  type MovedMetric,
  type Regressions,
  regressions,
  type TaskFlip,
} from './metrics/regressions.ts';
export { factsOf, flaggedBy } from './metrics/run-facts.ts';
export { type HtmlReportOptions, htmlReport } from './report/html-report.ts';
export type { TimelineRow } from './report/html-runs.ts';
export { junitReport } from './report/junit-report.ts';
export { markdownReport } from './report/markdown-report.ts';
export { type EvaluateOptions, evaluate } from './runner/evaluate.ts';
export { readEvaluation } from './runner/evaluation-folder.ts';
export type { ProgressInfo } from './runner/progress.ts';
export { type BootstrapOptions, bootstrapMean, pairedBootstrap } from './statistics/bootstrap.ts';
export { holm, mcnemar, type PowerQuestion, signFlip, tasksForPower } from './statistics/paired-tests.ts';
export { type PassCurves, passAtK, passCurves, passHatK, type Trials } from './statistics/pass-k.ts';
export { quantile } from './statistics/quantile.ts';
export { type Tally, wilson, wilsonOfTasks } from './statistics/share.ts';
export {
  type AblationOptions,
  type AgentFactory,
  type Configuration,
  type Criteria,
  defineSuite,
  type Environment,
  type EvalTask,
  type RunSetting,
  type Suite,
  type SuiteOptions,
} from './suite.ts';
export { bfcl } from './tasks/bfcl/bfcl.ts';
export { cruxEval } from './tasks/crux-eval.ts';
export type { Dataset, JudgedSelection } from './tasks/dataset.ts';
export { type DatasetEntry, type DatasetSuiteOptions, datasets, suiteFromDataset } from './tasks/datasets.ts';
export { fever } from './tasks/fever.ts';
export { gameOf24 } from './tasks/game-of-24.ts';
export { type HotpotQaOptions, hotpotQa, hotpotQaQuestions } from './tasks/hotpot-qa.ts';
export { loadSuite } from './tasks/load-suite.ts';
export { gsm8k, gsmHard, svamp } from './tasks/math-word-problems.ts';
export { aqua, commonsenseQa } from './tasks/multiple-choice.ts';
export { type Paragraph, searchParagraphs, supportingFacts } from './tasks/paragraph-search.ts';
export { humanEval, mbpp } from './tasks/python-functions.ts';
export { type ReadTasksOptions, readTasks } from './tasks/read-tasks.ts';
export { selectTasks, type TaskSelection } from './tasks/select-tasks.ts';
export { simpleQa } from './tasks/simple-qa.ts';
export { strategyQa } from './tasks/strategy-qa.ts';
export type { FieldNames } from './tasks/task-fields.ts';
export { tasksHash } from './tasks/tasks-hash.ts';
export {
  type CustomerSimulator,
  type CustomerTurn,
  type Line,
  type ModelCustomerOptions,
  modelCustomer,
  scriptedCustomer,
} from './tasks/tau-bench/customer.ts';
export { type TauBench, type TauBenchOptions, tauBench } from './tasks/tau-bench/tau-bench.ts';
export { truthfulQa } from './tasks/truthful-qa.ts';
export type { TriageModel } from './triage/ask-model.ts';
export type { FailedRun, FailedTask, RecalledLesson } from './triage/failed-run.ts';
export { parseFailures, readFailures } from './triage/read-failures.ts';
export { type SelectionRow, type Symptom, selectionTable } from './triage/selection-table.ts';
export { type Remedy, type TriageOptions, type TriageSummary, triage, triageAll } from './triage/triage.ts';
export { triageText } from './triage/triage-text.ts';
