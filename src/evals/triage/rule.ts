import type { FailureLayer, LabelEvidence } from '../findings.ts';
import type { Facts } from './facts.ts';
import type { Symptom } from './selection-table.ts';

/** What a rule found: a sentence and the places it rests on. */
export interface Finding {
  /** One sentence. */
  why: string;
  /** At least one. */
  evidence: LabelEvidence[];
}

/** A rule says where a failure comes from, if the run shows it. */
export interface TriageRule {
  /** Unique, such as `tool-error-loop`. */
  name: string;
  layer: FailureLayer;
  /** The row of the selection table that says what to do. */
  symptom: Symptom;
  applies(facts: Facts): Finding | undefined;
}

/** Longest quotation in a label. */
const longest = 200;

/** Evidence: where, and the words there in one line, cut. */
export function at(where: string, text: string): LabelEvidence {
  return { where, text: excerpt(text) };
}

/** A text in one line, cut. */
export function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}
