import { messageOf, UsageError } from '../../core/errors.ts';

/**
 * A package that is an optional peer: users who want what it offers install it. Throws `UsageError` with the install
 * command when it is missing; a fault of its own is thrown as it is.
 */
export async function installed<T>(packageName: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error, packageName)) throw error;
    throw new UsageError(
      `${packageName} is not installed, and its models need it. Install it beside assay: npm install ${packageName}`,
      { cause: error },
    );
  }
}

function isMissing(error: unknown, packageName: string): boolean {
  const code: unknown = Reflect.get(Object(error), 'code');
  return code === 'ERR_MODULE_NOT_FOUND' && messageOf(error).includes(packageName);
}
