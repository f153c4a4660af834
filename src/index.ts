export {
  Agent,
  type AgentOptions,
  defineAgent,
  type ForkRunOptions,
  type RunInput,
  type RunOptions,
  type TaskInput,
} from './agent.ts';
export type { Check, CheckContext, Evaluation, Evaluator } from './checks/check.ts';
export { builtinChecks, check } from './checks/checks.ts';
export type { NamedTest, Signature } from './checks/code/report.ts';
export { type CodeOptions, code } from './checks/code.ts';
export { type CommandOptions, command } from './checks/command.ts';
export { checksPass } from './checks/evaluators/checks-pass.ts';
export { type CommandPassesOptions, commandPasses } from './checks/evaluators/command-passes.ts';
export { type Criterion, type JudgeOptions, judge } from './checks/evaluators/judge.ts';
export {
  type ExactReferenceOptions,
  exactReference,
  type NumericReferenceOptions,
  normalAnswer,
  numericReference,
} from './checks/evaluators/reference.ts';
export type { CodeTest, SandboxOptions } from './checks/evaluators/run-tests.ts';
export { type SelfWrittenTestsOptions, selfWrittenTests } from './checks/evaluators/self-written-tests.ts';
export { type SignatureOptions, signature } from './checks/evaluators/signature.ts';
export { type TestsPassOptions, testsPass } from './checks/evaluators/tests-pass.ts';
export { type EvaluatingRun, type OracleEvaluator, prepareEvaluator, type RunEvaluator } from './checks/evaluators.ts';
export { type FinalStateOptions, finalState } from './checks/final-state.ts';
export { type FormatOptions, format } from './checks/format.ts';
export type { AnswerLanguage } from './checks/language.ts';
export { offlineContext } from './checks/offline.ts';
export { type Query, queryWith, type RowSource } from './checks/row-source.ts';
export { type RowsOptions, rows } from './checks/rows.ts';
export { safeAnswer } from './checks/safe-answer.ts';
export type { Row } from './checks/table-text.ts';
export { type TestCounts, testCounts } from './checks/test-counts.ts';
export type {
  Attempt,
  Claim,
  Ending,
  Final,
  Issue,
  Knowledge,
  LessonDraft,
  Observation,
  Report,
} from './core/attempt.ts';
export type { Brief, Note } from './core/brief.ts';
export {
  Budget,
  type BudgetLimit,
  type Cost,
  defaultLimits,
  type Hold,
  type Limits,
  type Span,
} from './core/budget.ts';
export type { EditedObservation } from './core/edited-observation.ts';
export {
  CancelledError,
  NondeterminismError,
  StateError,
  StepFailedError,
  UncertainOutcomeError,
  UsageError,
} from './core/errors.ts';
export type { EventBody, RunEvent, Sink } from './core/event.ts';
export type { Json, JsonSchema } from './core/json.ts';
export type { Applicability, Lesson, LessonEvidence, LessonStatus } from './core/lesson.ts';
export type { Metrics, Reason, Result, Status } from './core/result.ts';
export type { RunContext } from './core/run-context.ts';
export type { Retry, Step, StepContext, StepOptions } from './core/step.ts';
export type { Plan, PlanStep, Task } from './core/task.ts';
export { append, seal, type Transcript, transcriptOf, userMessage } from './core/transcript.ts';
export type { Decision, PreparedCall, RefusalCause, SeenCall, TurnOutcome, TurnState, Verdict } from './core/turn.ts';
export type { Usage } from './core/usage.ts';
export { inMemoryLessons } from './memory/in-memory-lessons.ts';
export type { LessonStoreOptions } from './memory/lesson-record.ts';
export type {
  Admission,
  AdmissionMeta,
  Embedding,
  LessonChange,
  LessonStore,
  Origin,
  Outcome,
  RecallQuery,
} from './memory/memory.ts';
export { type PostgresLessonsOptions, postgresLessons } from './memory/postgres-lessons.ts';
export { sqliteLessons } from './memory/sqlite-lessons.ts';
export { type Asked, ask, type Question } from './model/ask.ts';
export { type ModelSource, type ModelTraits, sourceOf } from './model/capability.ts';
export { detectModel } from './model/detect.ts';
export { type EmbedderChoice, type EmbedderOptions, type EmbeddingModel, resolveEmbedder } from './model/embedding.ts';
export type { ReadProgress } from './model/local/local-engine.ts';
export { ContextOverflowError, LocalModelCrashError } from './model/local/local-errors.ts';
export { closeLocalModels, type LocalOptions } from './model/local/resolve-local.ts';
export type { ModelRun, Role } from './model/model.ts';
export { describeModelSize, type ModelSize, modelSize, type SmallModel } from './model/model-size.ts';
export { type ListedPrice, type Price, priceOf, pricesAsOf, type Rates } from './model/prices.ts';
export { execModel } from './model/providers/exec-model.ts';
export { functionModel } from './model/providers/function-model.ts';
export { limitModel, limitModelById } from './model/rate-limit/limit-model.ts';
export { inProcessLimits } from './model/rate-limit/rate-limiter.ts';
export type { LimitedModel, Passage, ProviderLimit, ProviderLimiter, ProviderLimits } from './model/rate-limit.ts';
export { recordModel, replayModel } from './model/record-replay.ts';
export { resolveModel } from './model/resolve.ts';
export type { DeclaredLocal, ModelChoice, ModelSetting, RoleSettings } from './model/roles.ts';
export { RunHandle } from './run-handle.ts';
export { folderBlobs } from './runtime/blobs/folder-blobs.ts';
export { postgresBlobs } from './runtime/blobs/postgres-blobs.ts';
export { type S3Credentials, type S3Options, s3Blobs } from './runtime/blobs/s3-blobs.ts';
export { type BlobStore, textBlobs } from './runtime/blobs.ts';
export type {
  Durable,
  DurableHost,
  ForkOptions,
  JournalEntry,
  RunBeginning,
  RunInfo,
  RunState,
  Settled,
  Workflow,
} from './runtime/durable.ts';
export { inMemoryHost } from './runtime/in-memory.ts';
export { type PostgresRunIndex, postgresRunIndex } from './runtime/postgres-index.ts';
export type { RunCursor, RunIndex, RunRow, RunRowQuery, RunStatus, Spent } from './runtime/run-index.ts';
export { sqliteHost } from './runtime/sqlite.ts';
export { type BackOffOptions, backOff } from './solver/back-off/back-off.ts';
export {
  type CombinedOptions,
  reactThenSelfConsistency,
  selfConsistencyThenReact,
} from './solver/back-off/react-and-self-consistency.ts';
export { type BackOffRule, belowHalf, unanswered } from './solver/back-off/rules.ts';
export { direct } from './solver/direct.ts';
export { type LessonsOptions, lessons } from './solver/lessons/lessons.ts';
export { type PlanOptions, planAndSolve } from './solver/plan-and-solve/plan-and-solve.ts';
export { type ProgramAidedOptions, programAided } from './solver/program-aided/program-aided.ts';
export { type ReactOptions, react } from './solver/react/react.ts';
export {
  maxEmptyTurns,
  maxFaults,
  maxRepeats,
  maxSteps,
  noProgress,
  type StopCondition,
} from './solver/react/stop-conditions.ts';
export { takeTurn } from './solver/react/take-turn.ts';
export { type ReflexionOptions, reflexion } from './solver/reflexion/reflexion.ts';
export { adviseSearch, type SearchAdvice, type SearchAnswers } from './solver/search-gate.ts';
export { type Agreement, agreementOf } from './solver/self-consistency/agreement.ts';
export { chainOfThought } from './solver/self-consistency/chain-of-thought.ts';
export { type CurvePoint, majority, type ScoredVote, voteCurve } from './solver/self-consistency/majority.ts';
export { choiceAnswer, exactAnswer, type Normaliser, setAnswer } from './solver/self-consistency/normalisers.ts';
export { numericAnswer } from './solver/self-consistency/numeric-answer.ts';
export { type SelfConsistencyOptions, selfConsistency } from './solver/self-consistency/self-consistency.ts';
export { compose, type Layer, type NamedSolver, type Run, type Solver } from './solver/solver.ts';
export { modelThinker, type ThinkerOptions } from './solver/tree-of-thoughts/model-thinker.ts';
export type { SearchProblem, ThinkContext, Thinker, Thought } from './solver/tree-of-thoughts/problem.ts';
export { type TreeOptions, type TreeSettings, treeOfThoughts } from './solver/tree-of-thoughts/tree-of-thoughts.ts';
export { type TreeOfTurnsOptions, treeOfTurns } from './solver/tree-of-thoughts/tree-of-turns.ts';
export type {
  VerifierOptions,
  VerifierReport,
  VerifierVariant,
} from './solver/verification/chain-of-verification.ts';
export {
  type AnswerChanges,
  countChanges,
  type Reference,
  type RefinedAttempt,
} from './solver/verification/changes.ts';
export {
  type ComparedAnswer,
  comparePair,
  type PairQuestion,
  type PairVerdict,
} from './solver/verification/compare-pair.ts';
export { scoreOf } from './solver/verification/rank.ts';
export { type VerificationOptions, verification } from './solver/verification/verification.ts';
export { calculator } from './tools/builtin/calculator/calculator.ts';
export { type FetchPageOptions, fetchPage } from './tools/builtin/fetch-page.ts';
export { type FilesOptions, files } from './tools/builtin/files.ts';
export { type AllowedApi, type HttpOptions, http, type SendMethod } from './tools/builtin/http.ts';
export {
  acceptPins,
  type EnrolledTool,
  enrolmentText,
  filePins,
  type McpEnrolment,
  type McpHttpOptions,
  type McpOptions,
  type McpProcessOptions,
  mcp,
  memoryPins,
  type PinnedTool,
  type ToolPins,
} from './tools/builtin/mcp.ts';
export { type OpenApiOptions, openApi } from './tools/builtin/open-api.ts';
export { describeSandbox, type RunCodeOptions, runCode } from './tools/builtin/run-code.ts';
export { type ReadDocOptions, readDoc, type SearchDocsOptions, searchDocs } from './tools/builtin/search-docs.ts';
export { brave } from './tools/builtin/search-web/brave.ts';
export { exa } from './tools/builtin/search-web/exa.ts';
export type { ServiceOptions } from './tools/builtin/search-web/options.ts';
export {
  SearchError,
  type SearchFault,
  type SearchProvider,
  type SearchResult,
} from './tools/builtin/search-web/search-provider.ts';
export { type SearxngOptions, searxng } from './tools/builtin/search-web/searxng.ts';
export { tavily } from './tools/builtin/search-web/tavily.ts';
export { type SearchWebOptions, searchWeb } from './tools/builtin/search-web.ts';
export { type ShellOptions, shell } from './tools/builtin/shell.ts';
export { type SqlOptions, type SqlTarget, sql } from './tools/builtin/sql.ts';
export { type DefineToolOptions, defineTool, defineTools, type ForeignTool } from './tools/define-tool.ts';
export {
  defaultPolicy,
  type JudgedCall,
  type Policy,
  type PolicyDecision,
  type PolicyFunction,
  type PolicyOptions,
} from './tools/policy/policy.ts';
export type { ArgumentPattern, PolicyAction, Rule } from './tools/policy/rules.ts';
export { type Effect, type Reconciled, type Tool, type ToolOptions, tool } from './tools/tool.ts';
export { type SqliteEventStore, sqliteEvents } from './trace/event-store.ts';
export type { EventRange, EventStore, FollowOptions } from './trace/events.ts';
export { jsonlSink } from './trace/jsonl-sink.ts';
export type { PostgresConnection, PostgresOptions, PostgresPool } from './trace/postgres/connections.ts';
export { type PostgresEventsOptions, postgresEvents } from './trace/postgres-events.ts';
export {
  type ApprovalResponse,
  approvalResponses,
  type RunChunk,
  type RunDataParts,
  type RunMetadata,
  type ToolOutput,
  toUIMessageStream,
  toUIMessageStreamResponse,
  type UIMessageStreamOptions,
} from './ui-message-stream.ts';
