const everyMs = 20;
const forMs = 5_000;

/** Tries for a few seconds what the engine has taken and not yet done; undefined when it has not by then. */
export async function patiently<T>(attempt: () => Promise<T | undefined>): Promise<T | undefined> {
  for (const end = Date.now() + forMs; Date.now() < end; ) {
    const done = await attempt();
    if (done !== undefined) return done;
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  return undefined;
}
