/**
 * The Python around a stranger's code, the same for python3 and for Pyodide: `evaluate(code, limit)` runs it as a fresh `__main__`
 * and gives the report with the `repr` of the last expression.
 */
export const pythonProgram: string = `
def evaluate(code, limit):
    import ast, linecache, sys, traceback, types

    name = 'main.py'
    main = sys.modules['__main__'] = types.ModuleType('__main__')
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors='backslashreplace')
    report = {'error': False}
    try:
        tree = ast.parse(code, name)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, name, 'exec'), main.__dict__)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), name, 'eval'), main.__dict__)
            if value is not None:
                report['result'] = repr(value)[:limit]
    except SystemExit as end:
        report['error'] = end.code not in (None, 0)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException as error:
        report['error'] = True
        trace = error.__traceback__
        while trace and trace.tb_frame.f_code.co_filename != name:
            trace = trace.tb_next
        traceback.print_exception(type(error), error, trace)
    sys.stdout.flush()
    sys.stderr.flush()
    return report
`;

/** For python3: the request comes and the report goes on descriptor 3. */
export const pythonMain: string = `${pythonProgram}
def main():
    import json, os
    with os.fdopen(3, 'rb', closefd=False) as control:
        request = json.loads(control.read())
    os.write(3, b'\\n')
    report = evaluate(request['code'], request['maxResultChars'])
    with os.fdopen(3, 'wb') as control:
        control.write(json.dumps(report).encode())

main()
`;

/** For Pyodide: the request is an argument, and what leads to the JavaScript around it is taken away first. */
export const pyodideMain: string = `${pythonProgram}
def close():
    import sys

    hidden = ('js', 'pyodide', 'pyodide_js', '_pyodide', '_pyodide_core')

    class Closed:
        def find_spec(self, name, path=None, target=None):
            if name.partition('.')[0] in hidden:
                raise ModuleNotFoundError(f'No module named {name!r}: this Python has no JavaScript around it', name=name)

    for name in list(sys.modules):
        if name.partition('.')[0] in hidden:
            del sys.modules[name]
    for finder in list(sys.meta_path):
        if type(finder).__module__.startswith('_pyodide'):
            sys.meta_path.remove(finder)
            getattr(finder, 'jsproxies', {}).clear()
    sys.meta_path.insert(0, Closed())

def use_plain_loop():
    import asyncio, inspect, time

    class Idle:
        def select(self, timeout):
            time.sleep(timeout or 0)
            return ()

    class Loop(asyncio.BaseEventLoop):
        _selector = Idle()
        def _process_events(self, events):
            pass
        def _write_to_self(self):
            pass

    class Policy(asyncio.events._BaseDefaultEventLoopPolicy):
        _loop_factory = Loop

    asyncio.events._set_event_loop_policy(Policy())
    asyncio._set_running_loop(None)
    asyncio.run, time.sleep = inspect.unwrap(asyncio.run), inspect.unwrap(time.sleep)

def main(text):
    import io, json, sys

    request = json.loads(text)
    sys.stdin = io.TextIOWrapper(io.BytesIO(request['stdin'].encode()), 'utf-8')
    return json.dumps(evaluate(request['code'], request['maxResultChars']))

close()
use_plain_loop()
main
`;
