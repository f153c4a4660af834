import { defineConfig, type ViteUserConfig } from 'vitest/config';

const source = (file: string): string => new URL(`src/${file}`, import.meta.url).pathname;

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
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'web/src/**/*.test.ts'],
    // Most files wait for processes and servers of their own more than they compute.
    maxWorkers: '100%',
    testTimeout: 20_000,
    hookTimeout: 20_000,
    coverage: { provider: 'v8', include: ['src/**'], exclude: ['src/**/*.test.ts'] },
  },
});
export default config;
