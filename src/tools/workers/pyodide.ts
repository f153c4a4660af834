/** Python of a stranger in Pyodide: CPython compiled to WebAssembly, in a realm of JavaScript that has no way out. */
import { type CodeReport, closeRealm, readRequest, tellReady, tellReport } from '../process/sandbox-worker.ts';
import { pyodideProgram } from './pyodide-realm.ts';

interface PyodideRequest {
  code: string;
  stdin: string;
  maxResultChars: number;
  memoryBytes: number;
  folder: string;
  /** Python whose last value is the function from a request to a report, both as JSON. */
  program: string;
}

const { folder, program, memoryBytes, ...job } = readRequest() as PyodideRequest;
const run = await pyodideProgram(folder, program, memoryBytes);
const { exit } = process;
const text = JSON.stringify(job);
closeRealm();
tellReady();
tellReport(reportOf(run(text)));
exit(0);

/** What comes back is whatever the stranger made of it. */
function reportOf(answer: unknown): CodeReport {
  if (typeof answer !== 'string') return { error: true };
  const { error, result } = JSON.parse(answer) as Partial<CodeReport>;
  return { error: error === true, ...(typeof result === 'string' && { result }) };
}
