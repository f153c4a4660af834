import { describe, expect, it } from 'vitest';
import { chooseSandbox } from './choose-sandbox.ts';
import type { Offer, SandboxKind } from './sandbox.ts';

function offers(here: Partial<Record<SandboxKind, boolean>>): Record<SandboxKind, () => Promise<Offer>> {
  const offer = (kind: SandboxKind) => async (): Promise<Offer> =>
    here[kind]
      ? { sandbox: { label: kind, start: () => ({ program: '', args: [], request: '' }) } }
      : { missing: `install what ${kind} needs` };
  return { wasm: offer('wasm'), native: offer('native') };
}

describe('chooseSandbox', () => {
  it.each([
    ['python', { wasm: true, native: true }, 'native'],
    ['python', { wasm: true }, 'wasm'],
    ['javascript', { wasm: true, native: true }, 'wasm'],
    ['typescript', { native: true }, 'native'],
  ] as const)('takes by itself for %s of %o the %s one', async (language, here, chosen) => {
    expect((await chooseSandbox(language, 'auto', offers(here))).label).toBe(chosen);
  });

  it('takes the one that is wanted or none', async () => {
    await expect(chooseSandbox('python', 'native', offers({ wasm: true }))).rejects.toThrow(/what native needs/);
  });

  it('names both remedies where there is no sandbox', async () => {
    await expect(chooseSandbox('python', 'auto', offers({}))).rejects.toThrow(
      /not run.*what native needs.*what wasm needs/,
    );
  });
});
