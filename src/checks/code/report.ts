/** A test: code that throws when the answer is wrong. */
export interface NamedTest {
  /** Shown when it fails. */
  name: string;
  code: string;
}

/** The function that the answer has to define. */
export interface Signature {
  name: string;
  /** Names in order, or how many; absent: any. A rest parameter counts as one, `self` and `cls` as none. */
  parameters?: readonly string[] | number;
}

/** What a program around the answer found. */
export interface CodeReport {
  ended: 'reported' | 'timeout' | 'silent';
  /** Why there is no report. */
  detail: string;
  syntax?: string;
  /** The error that came while the answer itself ran. */
  load?: string;
  /** Of the function asked for; absent when it is not defined. */
  parameters?: string[];
  failures: { name: string; message: string }[];
}

/** What is put around an answer. `mark` is nothing the answer can know when it is written. */
export interface CodeJob {
  source: string;
  tests: readonly NamedTest[];
  signature: Signature | undefined;
  mark: string;
}

/** What is wrong with the parameters found; undefined when they are as asked. */
export function signatureFault(
  { name, parameters }: Signature,
  found: readonly string[] | undefined,
): string | undefined {
  if (found === undefined) return `the code does not define the function ${name}`;
  const shown = `${name}(${found.join(', ')})`;
  if (typeof parameters === 'number')
    return found.length === parameters ? undefined : `${shown} has ${found.length} parameters, not ${parameters}`;
  const wanted = parameters?.join(', ') ?? found.join(', ');
  return wanted === found.join(', ') ? undefined : `${shown} has other parameters than ${name}(${wanted})`;
}

/** The report of a run that came back whole; a program that ended early leaves none. */
export function reportFrom(outcome: unknown, read: (result: string) => Partial<CodeReport> | undefined): CodeReport {
  // The outcome of runCode is an object with these fields.
  const {
    ended,
    result,
    stderr = '',
    exitCode,
  } = Object(outcome) as Partial<Record<'ended' | 'result' | 'stderr' | 'exitCode', string>>;
  const report = typeof result === 'string' ? read(result) : undefined;
  if (report) return { ended: 'reported', detail: '', failures: [], ...report };
  const last = String(stderr).trim().split('\n').slice(-3).join(' ').slice(0, 400);
  const detail = last || `${ended}${exitCode === undefined ? '' : `, exit code ${exitCode}`}`;
  return { ended: ended === 'timeout' ? 'timeout' : 'silent', detail, failures: [] };
}
