import * as path from 'node:path';
import { chdir, cwd } from 'node:process';
import type { Tool } from '../../src/tools/tool.ts';
import { type FuzzOptions, type FuzzReport, fuzzTool } from './fuzz-tool.ts';
import { openScene, watchNetwork } from './scene.ts';
import type { Made, Target } from './target.ts';

export interface TargetReport extends FuzzReport {
  /** For a tool whose calls are dear: the calls that really ran; the rest ended before the tool's own work. */
  executed?: FuzzReport;
}

export interface TargetOptions extends Pick<FuzzOptions, 'seed' | 'onCall'> {
  runs: number;
  /** Only this tool of the target. */
  tool?: string;
  report?: (report: TargetReport) => void;
}

/** Fuzzes every tool of a target in a scene of its own, from a folder in which relative escapes are seen. */
export async function runTarget(target: Target, options: TargetOptions): Promise<TargetReport[]> {
  const scene = openScene();
  const network = watchNetwork();
  const kept = { folder: cwd(), home: process.env['HOME'] };
  chdir(path.join(scene.decoy, 'work'));
  process.env['HOME'] = path.join(scene.decoy, 'home');
  let made: Made | undefined;
  try {
    made = await target.make(scene);
    const reports: TargetReport[] = [];
    const { tools, dictionary, reset, check } = made;
    for (const tool of tools) {
      if (options.tool !== undefined && ![tool.name, target.name].includes(options.tool)) continue;
      const fuzz = (fuzzed: Tool, runs: number): Promise<FuzzReport> =>
        fuzzTool(fuzzed, {
          ...options,
          runs,
          scene,
          network: network.seen,
          dictionary,
          limitMs: target.limitMs,
          maxChars: target.maxChars ?? 200_000,
          ...(reset && { reset }),
          ...(check && { check }),
        });
      const report = await (target.executed === undefined
        ? fuzz(tool, options.runs)
        : both(tool, { runs: options.runs, executed: Math.min(target.executed, options.runs), fuzz }));
      reports.push(report);
      options.report?.(report);
    }
    return reports;
  } finally {
    await made?.close?.();
    chdir(kept.folder);
    process.env['HOME'] = kept.home;
    network.stop();
    scene.close();
  }
}

async function both(
  tool: Tool,
  how: { runs: number; executed: number; fuzz(tool: Tool, runs: number): Promise<FuzzReport> },
): Promise<TargetReport> {
  const idle: Tool = { ...tool, run: async () => 'not run' };
  const [prepared, executed] = [await how.fuzz(idle, how.runs), await how.fuzz(tool, how.executed)];
  const violation = prepared.violation ?? executed.violation;
  return { ...prepared, executed, ms: prepared.ms + executed.ms, ...(violation !== undefined && { violation }) };
}
