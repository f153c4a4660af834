import { UsageError } from '../../core/errors.ts';

/** A package that the user chose to install. Throws `UsageError` with the command where it is missing. */
export async function loadPeer<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')
      throw new UsageError(
        `OpenTelemetry needs the package ${name}, which is not installed: npm install ${name} (${error.message})`,
      );
    throw error;
  }
}
