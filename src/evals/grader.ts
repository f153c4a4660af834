import type { CheckContext } from '../checks/check.ts';
import type { Attempt, Knowledge } from '../core/attempt.ts';
import type { Json } from '../core/json.ts';
import type { EvalTask } from './suite.ts';

/** Whether an answer is right. */
export interface Grade {
  pass: boolean;
  /** 0 to 1; partial credit where the grader gives any. `pass` alone counts as success. */
  score: number;
  /** One line for a reader of the report. It may name what was expected: no agent sees it. */
  why: string;
}

/** What is graded: a whole attempt, or an earlier version of its answer. */
export interface Graded {
  task: EvalTask;
  answer: string | undefined;
  attempt: Attempt;
  /** What the environment was left in; undefined where it has no state. */
  state?: Json | undefined;
}

/** Judges what a run came to. It runs after the run and steers nothing. */
export interface Grader {
  readonly name: string;
  /** `another-model` or `self` where a model's opinion decides: the report marks it. */
  readonly knows: Knowledge;
  /** Its settings, part of the evaluation's fingerprint. */
  readonly config: Json;
  /** What it reads; only one that reads the answer alone can grade the versions before the last. */
  readonly reads: 'answer' | 'attempt' | 'state';
  grade(graded: Graded, context: CheckContext): Promise<Grade> | Grade;
}

/** Grades by every grader: all have to pass, the score is the least. */
export async function gradeAll(graders: readonly Grader[], graded: Graded, context: CheckContext): Promise<Grade> {
  const grades: Grade[] = [];
  for (const grader of graders) grades.push(await grader.grade(graded, context));
  const [only] = grades;
  // Whole, with what a grader adds to it.
  if (only && grades.length === 1) return only;
  const failed = grades.find(({ pass }) => !pass);
  return {
    pass: failed === undefined && grades.length > 0,
    score: Math.min(...grades.map(({ score }) => score)),
    why: failed?.why ?? grades.map(({ why }) => why).join('; '),
  };
}
