import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';

const source = (file: string): string => new URL(`src/${file}`, import.meta.url).pathname;

const tests = ['src/**/*.test.ts', 'test/**/*.test.ts', 'web/src/**/*.test.ts'];
/** Tests whose processes are timed or killed, or a browser's: they have the machine to themselves. */
const alone = [
  'test/browser/**/*.test.ts',
  'test/e2e/{restate,cli-engine}*.test.ts',
  'test/e2e/*kill.test.ts',
  'src/model/local/*.test.ts',
  'src/model/local-contract.test.ts',
];

const config: ViteUserConfig = defineConfig({
  resolve: {
    // Examples name the package as its users do.
    alias: [
      { find: /^assay$/, replacement: source('index.ts') },
      { find: /^assay\/evals$/, replacement: source('evals/index.ts') },
      { find: /^assay\/testing$/, replacement: source('testing/testing.ts') },
    ],
  },
  test: {
    projects: [
      {
        extends: true,
        // Most files wait for processes and servers of their own more than they compute.
        test: { name: 'together', include: tests, exclude: [...configDefaults.exclude, ...alone], maxWorkers: '100%' },
      },
      {
        extends: true,
        test: { name: 'alone', include: alone, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    coverage: { provider: 'v8', include: ['src/**'], exclude: ['src/**/*.test.ts'] },
  },
});
export default config;
