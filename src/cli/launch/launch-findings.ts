import { existsSync } from 'node:fs';
import type { AgentOptions } from '../../agent.ts';
import type { Lesson } from '../../core/lesson.ts';
import { cleanLine } from '../clean.ts';
import type { CommandContext } from '../command.ts';
import type { Home } from '../home.ts';
import { findConfig, loadConfig } from '../load-config.ts';
import { renderRow } from '../timeline.ts';
import { configLine } from './config-line.ts';
import { lastEvaluation } from './last-evaluation.ts';
import { type LaunchCheck, launchChecks } from './launch-checks.ts';

/** A question before going live, with the line to change where it is not answered well. */
export interface LaunchFinding extends LaunchCheck {
  /** Such as `assay.config.ts:12`. */
  line?: string;
}

/** The six questions, asked of the configuration file here; none where there is no file, or one that cannot be loaded. */
export async function launchFindings({ home }: CommandContext): Promise<LaunchFinding[]> {
  const file = findConfig(undefined);
  const agent = file === undefined ? undefined : await loadConfig(file).catch(() => undefined);
  if (file === undefined || !agent) return [];
  const facts = {
    agent,
    lessons: await lessonsIn(home, agent),
    evaluated: lastEvaluation(home, agent),
    now: Date.now(),
  };
  return launchChecks(facts).map((check) =>
    check.ok || !check.option ? check : { ...check, line: configLine(file, check.option) },
  );
}

async function lessonsIn(home: Home, { layers = [] }: AgentOptions): Promise<Lesson[]> {
  if (!layers.some(({ name }) => name === 'lessons') || !existsSync(home.lessons)) return [];
  const { sqliteLessons } = await import('../../memory/sqlite-lessons.ts');
  const store = sqliteLessons({ file: home.lessons });
  return store.list({ status: 'active' }).finally(() => store.close());
}

export function reportLaunch(findings: readonly LaunchFinding[], { screen }: CommandContext): void {
  const paper = { columns: screen.outColumns ?? 80, style: screen.outStyle };
  screen.out('\nBefore going live:');
  for (const [index, { what, ok, detail, remedy, line }] of findings.entries()) {
    const text = `${ok ? '✓' : '✗'} ${what}: ${cleanLine(detail)}`;
    screen.out(renderRow({ label: `${index + 1} of ${findings.length}`, text, tone: ok ? 'green' : 'red' }, paper));
    if (remedy === undefined) continue;
    const place = line === undefined ? '' : `${line}: `;
    screen.out(renderRow({ label: '', text: `to do: ${place}${cleanLine(remedy)}`, indent: 2 }, paper));
  }
}
