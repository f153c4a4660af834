/** The JavaScript around a stranger's code in a Node process of the native sandbox; the request comes and the report goes on descriptor 3. */
export const nodeMain: string = `
const fs = require('node:fs');
const vm = require('node:vm');
const { inspect } = require('node:util');
const { stripTypeScriptTypes } = require('node:module');

const request = JSON.parse(fs.readFileSync(3, 'utf8'));
fs.writeSync(3, '\\n');

function isModule(code) {
  if (!/\\b(?:await|import|export)\\b/.test(code)) return false;
  try {
    new vm.Script(code);
    return false;
  } catch {
    return true;
  }
}

async function evaluate(code) {
  if (isModule(code)) return (await import('data:text/javascript;base64,' + Buffer.from(code).toString('base64'))).default;
  const importModuleDynamically = vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  return vm.runInThisContext(code, { filename: 'main.js', importModuleDynamically });
}

async function main() {
  globalThis.require = require;
  const value = await evaluate(request.typescript ? stripTypeScriptTypes(request.code) : request.code);
  const result = value === undefined ? undefined : inspect(value, { depth: 6 }).slice(0, request.maxResultChars);
  fs.writeSync(3, JSON.stringify({ error: false, result }));
}

main().catch((error) => {
  console.error(error);
  fs.writeSync(3, JSON.stringify({ error: true }));
  process.exitCode = 1;
});
`;
