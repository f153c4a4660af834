import type { Tool } from '../../src/tools/tool.ts';
import type { Dictionary } from './hostile-arguments.ts';
import type { Scene } from './scene.ts';

export interface Target {
  name: string;
  make(scene: Scene): Promise<Made> | Made;
  /** Longer than this is a hang; well below the tool's own limit where its work is small. */
  limitMs: number;
  /** Characters of one result. Default 200,000. */
  maxChars?: number;
  /** For a tool whose call starts a process or waits for one: only so many calls are run, the others end before. */
  executed?: number;
}

export interface Made {
  tools: Tool[];
  dictionary: Dictionary;
  /** Puts the root back into its first state. */
  reset?: () => void;
  /** Throws `Violation` when the far end saw what it must never see. */
  check?: () => void;
  close?: () => Promise<void> | void;
}
