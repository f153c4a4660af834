import { CancelledError, messageOf, StateError } from '../../core/errors.ts';
import type { LocalModelRow } from '../../model/local/models-table.ts';
import type { Pulled, PullOptions } from '../../model/local/pull-model.ts';
import type { Screen } from '../screen.ts';
import { DownloadLine, WaitingLine } from './progress-lines.ts';

/**
 * Fetches the library and the file of a model, and tells how far it is. A file that is imported comes first: the machine may have no
 * network. Ctrl-C ends it with a `CancelledError`; what has come is kept.
 */
export async function pullWithProgress(
  row: LocalModelRow,
  screen: Screen,
  options: Pick<PullOptions, 'env' | 'from' | 'file'>,
): Promise<Pulled> {
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once('SIGINT', interrupt);
  try {
    if (options.file === undefined) await bringLibrary(screen, options.env, stop.signal);
    const pulled = await bringFile(row, screen, { ...options, signal: stop.signal });
    if (options.file !== undefined) await bringLibraryBehind(pulled, screen, { env: options.env, signal: stop.signal });
    return pulled;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    throw new CancelledError(`Interrupted. What has come is kept, and assay models pull ${row.name} goes on with it.`);
  } finally {
    process.off('SIGINT', interrupt);
  }
}

async function bringFile(row: LocalModelRow, screen: Screen, options: PullOptions): Promise<Pulled> {
  const { pullModel } = await import('../../model/local/pull-model.ts');
  const line = new DownloadLine(row.file, screen);
  return pullModel(row, {
    ...options,
    onProgress: (progress) => line.show(progress),
    onRetry: (why) => line.say(`${why}; trying again`),
  }).finally(() => line.end());
}

async function bringLibrary(screen: Screen, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<void> {
  const { findLlamaRuntime, installLlamaRuntime } = await import('../../model/local/runtime.ts');
  if (findLlamaRuntime({ env })?.place === 'beside assay') return;
  const line = new WaitingLine(screen);
  await installLlamaRuntime({ env, signal, onNote: (text) => line.begin(text) }).finally(() => line.end());
}

async function bringLibraryBehind(
  { file }: Pulled,
  screen: Screen,
  { env, signal }: { env: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<void> {
  const { runtimeFolder } = await import('../../model/local/runtime.ts');
  await bringLibrary(screen, env, signal).catch((error: unknown) => {
    throw new StateError(
      `${file} is in its place, and what runs it is not: ${messageOf(error)} ` +
        `Without a network, copy ${runtimeFolder(env)} from a machine of the same kind where assay models pull has run.`,
      { cause: error },
    );
  });
}
