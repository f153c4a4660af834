import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { localModelRow } from '../../model/local/models-table.ts';
import { tinyModelBytes } from '../../testing/tiny-model.ts';
import type { CommandContext } from '../command.ts';
import { command } from '../commands/models.ts';
import { homeOf } from '../home.ts';
import type { Screen } from '../screen.ts';
import { styleFor } from '../style.ts';
import { lookAtModel } from './look-at-model.ts';
import type { ModelFacts } from './model-facts.ts';
import { modelRows } from './model-rows.ts';
import { mayOffer } from './offer-model.ts';
import { DownloadLine, progressText } from './progress-lines.ts';

const row = localModelRow('qwen3-0.6b');
let cache: string;
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'assay-cli-models-'));
  vi.stubEnv('ASSAY_CACHE', cache);
  vi.stubEnv('ASSAY_OFFLINE', '');
  for (const name of ['HF_ENDPOINT', 'OLLAMA_HOST']) vi.stubEnv(name, 'http://127.0.0.1:9');
  for (const name of ['LMSTUDIO', 'LLAMACPP', 'VLLM']) vi.stubEnv(`${name}_BASE_URL`, 'http://127.0.0.1:9/v1');
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(cache, { recursive: true });
});

/** A screen that keeps what is written to it. */
function paper(options: { canRedraw?: boolean; canAsk?: boolean } = {}): Screen & { said: string[] } {
  const said: string[] = [];
  const write = (text: string): void => void said.push(text);
  const style = styleFor(false);
  const { canRedraw = false, canAsk = false } = options;
  return {
    said,
    columns: 80,
    outColumns: 80,
    style,
    outStyle: style,
    canRedraw,
    canAsk,
    out: write,
    note: write,
    draw: write,
  };
}

function contextOf(
  args: string[],
  options: Record<string, unknown> = {},
): CommandContext & { screen: { said: string[] } } {
  return { args, options, home: homeOf(cache, {}), json: false, screen: paper() };
}

describe('assay models pull', () => {
  test('imports a file without a name where the file says which model it is', async () => {
    const file = join(cache, row.file);
    writeFileSync(file, tinyModelBytes());
    const context = contextOf(['pull'], { file });
    expect(await command(context)).toBe(0);
    expect(existsSync(join(cache, 'models', row.file))).toBe(true);
    expect(context.screen.said.join('\n')).toContain('this first file is trusted');
    copyFileSync(file, join(cache, 'other.gguf'));
    await expect(command(contextOf(['pull'], { file: join(cache, 'other.gguf') }))).rejects.toThrow(
      /no model of the table.*--model local:/s,
    );
  });

  test('fetches nothing where the user said so', async () => {
    vi.stubEnv('ASSAY_OFFLINE', '1');
    await expect(command(contextOf(['pull', row.name]))).rejects.toThrow(/ASSAY_OFFLINE.*--file PATH/s);
  });

  test('does not fetch what is too large for the memory, unless told to', async () => {
    vi.spyOn(process, 'constrainedMemory').mockReturnValue(4_000_000_000);
    await expect(command(contextOf(['pull', 'qwen3-4b']))).rejects.toThrow(
      /5\.3 GB of memory.*4\.0 GB.*qwen3-0\.6b.*--yes/s,
    );
    vi.stubEnv('ASSAY_OFFLINE', '1');
    const file = join(cache, 'a.gguf');
    writeFileSync(file, tinyModelBytes());
    expect(await command(contextOf(['pull', 'qwen3-4b'], { file, yes: true }))).toBe(0);
  });

  test('puts a file right that is none', async () => {
    mkdirSync(join(cache, 'models'));
    writeFileSync(join(cache, 'models', row.file), '<html>');
    const file = join(cache, 'a.gguf');
    writeFileSync(file, tinyModelBytes());
    const context = contextOf(['pull', row.name], { file });
    await command(context);
    expect(context.screen.said.join('\n')).toContain('is ready');
  });
});

describe('a look at a local model', () => {
  const pulled = (bytes: Uint8Array | string): void => {
    mkdirSync(join(cache, 'models'));
    writeFileSync(join(cache, 'models', row.file), bytes);
  };
  const here = () => ({ place: 'beside assay' as const });

  test('tells how it is asked', async () => {
    pulled(tinyModelBytes());
    expect(await lookAtModel(`local:${row.name}`, here)).toEqual({
      mode: expect.stringMatching(/^small-model mode.*16,384/),
    });
  });

  test('names the command where the library is missing', async () => {
    pulled(tinyModelBytes());
    const { problem } = await lookAtModel(`local:${row.name}`, () => undefined);
    expect(problem).toMatch(/llama\.cpp.* not installed.*assay models pull/);
  });

  test('names the file and the command where it is broken or gone', async () => {
    pulled('<html>please log in</html>');
    expect((await lookAtModel(`local:${row.name}`, here)).problem).toMatch(/web page.*assay models pull/s);
    rmSync(join(cache, 'models', row.file));
    expect((await lookAtModel(`local:${row.name}`, here)).problem).toMatch(/not on this machine.*assay models pull/s);
  });
});

describe('the list', () => {
  const facts: ModelFacts = {
    local: [
      {
        name: 'small',
        installed: true,
        bytes: 397_000_000,
        memoryBytes: 2_600_000_000,
        fitsMemory: true,
        licence: 'Apache-2.0',
        contextTokens: 16_384,
        smallModelMode: true,
      },
      {
        name: 'large',
        installed: false,
        bytes: 2_500_000_000,
        memoryBytes: 90_000_000_000,
        fitsMemory: false,
        licence: 'MIT',
        contextTokens: 16_384,
        smallModelMode: false,
      },
    ],
    runtime: null,
    servers: [
      {
        name: 'llama.cpp',
        origin: 'http://127.0.0.1:8080',
        outcome: 'offers a model',
        models: Array.from({ length: 10 }, (_, index) => ({
          id: `llamacpp:m${index}`,
          contextTokens: 4_096,
          tooShort: true,
        })),
      },
      { name: 'vLLM', origin: 'http://127.0.0.1:8000', outcome: 'does not answer', models: [] },
    ],
    vendors: [],
    pricesAsOf: '2026-03',
  };
  const text = modelRows({ found: null, mode: null, looked: [] }, facts)
    .map(({ text: line }) => line)
    .join('\n');

  test('says of each local model what it takes, whether it is here and how it is asked', () => {
    expect(text).toMatch(/local:small +397 MB +2\.6 GB +Apache-2\.0 +yes +yes/);
    expect(text).toMatch(/local:large +about 2\.5 GB +90\.0 GB, too much +MIT +no +no/);
    expect(text).toMatch(/llama\.cpp 3\.\d+\.\d+.* not installed/);
  });

  test('says which models the servers offer, and with how much context', () => {
    expect(text).toContain('llamacpp:m0, context 4,096 tokens, too short for a run with tools');
    expect(text).toContain('and 2 more of llama.cpp');
    expect(text).toContain('vLLM at http://127.0.0.1:8000: does not answer');
  });
});

describe('progress', () => {
  test('is bytes, share, rate and time', () => {
    const seen = { done: 22_000_000, total: 60_000_000, bytesPerSecond: 4_000_000 };
    expect(progressText(seen)).toBe('36 %, 22 MB of 60 MB, 4 MB/s, 10 s left');
    expect(progressText({ ...seen, total: undefined, bytesPerSecond: undefined })).toBe('22 MB');
  });

  test('is one line that fits where it can be drawn over, and few lines elsewhere', () => {
    const terminal = paper({ canRedraw: true });
    const drawn = new DownloadLine('a-very-long-name-of-a-model-file-that-goes-on.gguf', terminal);
    drawn.show({ done: 0, total: 10 });
    drawn.show({ done: 5, total: 10 });
    drawn.show({ done: 10, total: 10 });
    drawn.end();
    expect(terminal.said.slice(0, -1).every((line) => line.startsWith('\r\u001b[2K') && line.length <= 84)).toBe(true);
    expect(terminal.said.join()).toContain('[####################] 100 %');
    expect(terminal.said.at(-1)).toBe('\n');
    const file = paper();
    const lines = new DownloadLine('m.gguf', file);
    for (let done = 0; done <= 1_000; done++) lines.show({ done, total: 1_000 });
    lines.end();
    expect(file.said).toHaveLength(2);
  });
});

test('a download is offered to a human only, and never to one who said no beforehand', () => {
  expect(mayOffer(paper({ canAsk: true }), {})).toBe(true);
  expect(mayOffer(paper(), {})).toBe(false);
  expect(mayOffer(paper({ canAsk: true }), { CI: 'true' })).toBe(false);
  expect(mayOffer(paper({ canAsk: true }), { ASSAY_OFFLINE: '1' })).toBe(false);
});
