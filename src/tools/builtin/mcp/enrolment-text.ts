import type { EnrolledTool, McpEnrolment } from './enrolment.ts';
import { shortened, visibleLine, visibleText } from './texts.ts';

const titles: Record<EnrolledTool['status'], string> = {
  new: 'new, trusted from now on',
  known: 'as accepted before',
  changed: 'CHANGED since it was accepted: blocked',
  'left-out': 'left out',
};

const shownSchema = 4_000;

/**
 * A report for a terminal or a log: every tool with the server's words in full, hidden characters written as `\u{…}`, each line of
 * them behind a bar, so that no text of a server can pass for a line of the report.
 */
export function enrolmentText(report: McpEnrolment): string {
  const head = `MCP server "${visibleLine(report.server)}": ${report.tools.length === 1 ? '1 tool' : `${report.tools.length} tools`}`;
  const gone = report.gone.map((name) => `${visibleLine(name)}: no longer offered`);
  return [head, ...report.tools.map(toolText), ...gone].join('\n\n');
}

function toolText({ tool, name, status, effect, notes, difference, definition }: EnrolledTool): string {
  const as = name === undefined ? '' : ` (for the model: ${name})`;
  return [
    `${visibleLine(tool)}${as}: ${titles[status]}, effect '${effect}'`,
    ...notes.map((note) => `  ! ${visibleLine(note)}`),
    ...difference.map((line) => `  ${line}`),
    ...(status === 'known' || !definition ? [] : described(definition)),
  ].join('\n');
}

function described({
  title,
  description,
  inputSchema,
  annotations,
}: NonNullable<EnrolledTool['definition']>): string[] {
  return [
    ...(title === undefined ? [] : [`  title: ${visibleLine(title)}`]),
    ...barred(description === '' ? '(no description)' : description),
    `  input: ${visibleLine(shortened(JSON.stringify(inputSchema), shownSchema), shownSchema)}`,
    ...(Object.keys(annotations).length === 0 ? [] : [`  hints: ${visibleLine(JSON.stringify(annotations))}`]),
  ];
}

function barred(text: string): string[] {
  return visibleText(text)
    .split('\n')
    .map((line) => `  | ${line}`);
}
