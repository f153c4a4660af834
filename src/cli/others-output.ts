/** While this works, what the user's own code prints on standard output goes to standard error: a program reads the one. */
export async function othersToStderr<T>(work: () => Promise<T>): Promise<T> {
  const { stdout, stderr } = process;
  const own = stdout.write;
  // The overloads of `write` are the same on both streams.
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  try {
    return await work();
  } finally {
    stdout.write = own;
  }
}
