import { messageOf } from '../../../core/errors.ts';
import type { Confined } from '../sandbox/bubblewrap.ts';
import { type Probe, probeConfined } from '../sandbox/probe.ts';
import { nativeSandbox } from './native-sandbox.ts';
import type { Language, Offer, Sandbox, SandboxKind } from './sandbox.ts';
import { wasmSandbox } from './wasm-sandbox.ts';

/**
 * `auto` takes for Python the native sandbox (it starts at once, and has the packages of the system) and for JavaScript
 * QuickJS (the smaller engine, in more walls); where the one is missing, the other.
 */
export async function chooseSandbox(
  language: Language,
  wanted: SandboxKind | 'auto',
  offers: Record<SandboxKind, (language: Language) => Promise<Offer>> = { wasm: wasmSandbox, native: nativeSandbox },
): Promise<Sandbox> {
  const auto: SandboxKind[] = language === 'python' ? ['native', 'wasm'] : ['wasm', 'native'];
  const missing: string[] = [];
  for (const kind of wanted === 'auto' ? auto : [wanted]) {
    const offer: Offer = await offers[kind](language);
    if ('sandbox' in offer) return offer.sandbox;
    missing.push(`${kind}: ${offer.missing}`);
  }
  throw new Error(`There is no sandbox for ${language} here, and code is not run without one. ${missing.join('; ')}.`);
}

/** For each language, and for `shell`: what would run it here, or why nothing does and what to do. */
export type SandboxReport = Record<Language | 'shell', Probe>;

/** See `describeSandbox` of the tool. */
export async function reportSandboxes(wanted: SandboxKind | 'auto'): Promise<SandboxReport> {
  const [javascript, typescript, python, shell] = await Promise.all([
    reportOn('javascript', wanted),
    reportOn('typescript', wanted),
    reportOn('python', wanted),
    probeConfined(shellProbe),
  ]);
  return {
    javascript,
    typescript,
    python,
    shell: shell.works ? { works: true, detail: '/bin/sh in bubblewrap' } : shell,
  };
}

async function reportOn(language: Language, wanted: SandboxKind | 'auto'): Promise<Probe> {
  try {
    return { works: true, detail: (await chooseSandbox(language, wanted)).label };
  } catch (error) {
    return { works: false, detail: messageOf(error) };
  }
}

const shellProbe: Confined = {
  ...{ program: '/bin/sh', args: ['-c', ':'], readable: ['/usr'] },
  limits: { memoryMb: 256, memoryIs: 'data', processes: 32, fileMb: 1, cpuSeconds: 5 },
};
