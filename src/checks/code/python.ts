import { type CodeJob, type CodeReport, reportFrom } from './report.ts';

/**
 * A program that parses the answer, reads the signature from its syntax tree, runs it as a module (not as `__main__`),
 * then the tests, and ends with its report as the value of the last expression.
 */
export function pythonProgram({ source, tests, signature, mark }: CodeJob): string {
  const job = JSON.stringify(JSON.stringify({ source, tests, name: signature?.name ?? null, mark }));
  return `import json as _json
def _check(job):
    import ast, base64, linecache
    report = {'failures': []}
    def reply():
        return job['mark'] + base64.b64encode(_json.dumps(report).encode()).decode()
    def said(error):
        line = error.__traceback__
        place = ''
        while line:
            if line.tb_frame.f_code.co_filename == 'answer.py':
                place = f' (line {line.tb_lineno})'
            line = line.tb_next
        return (type(error).__name__ + (f': {error}' if str(error) else ''))[:300] + place
    try:
        tree = ast.parse(job['source'], 'answer.py')
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        report['syntax'] = f'{getattr(error, "msg", error)} (line {getattr(error, "lineno", "?")})'
        return reply()
    if job['name']:
        body = tree.body
        found = None
        for part in job['name'].split('.'):
            found = next((node for node in reversed(body) if getattr(node, 'name', None) == part), None)
            body = getattr(found, 'body', [])
        if isinstance(found, (ast.FunctionDef, ast.AsyncFunctionDef)):
            given = found.args
            names = [one.arg for one in given.posonlyargs + given.args]
            if '.' in job['name'] and names[:1] in (['self'], ['cls']):
                names = names[1:]
            names += ['*' + given.vararg.arg] if given.vararg else []
            names += [one.arg for one in given.kwonlyargs]
            names += ['**' + given.kwarg.arg] if given.kwarg else []
            report['parameters'] = names
    linecache.cache['answer.py'] = (len(job['source']), None, job['source'].splitlines(True), 'answer.py')
    space = {'__name__': 'answer', '__builtins__': __builtins__}
    try:
        exec(compile(tree, 'answer.py', 'exec'), space)
    except BaseException as error:
        report['load'] = said(error)
        return reply()
    for test in job['tests']:
        try:
            exec(compile(test['code'], test['name'], 'exec'), dict(space))
        except BaseException as error:
            report['failures'].append({'name': test['name'], 'message': said(error)})
    report['failures'] = report['failures'][:20]
    return reply()
_check(_json.loads(${job}))
`;
}

export function readPythonReport(outcome: unknown, mark: string): CodeReport {
  return reportFrom(outcome, (result) => {
    const at = result.indexOf(mark);
    if (at < 0) return undefined;
    const text = Buffer.from(result.slice(at + mark.length).replace(/['"]$/, ''), 'base64').toString('utf8');
    // The program above wrote it.
    return JSON.parse(text) as Partial<CodeReport>;
  });
}
