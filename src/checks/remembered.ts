/** Texts whose results are kept: an answer is read again by every check and in every round. */
const most = 512;

/** The function with its latest results kept by text. What it gives must not be changed by anybody. */
export function remembered<Result>(read: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    if (known.size >= most) known.clear();
    const result = read(text);
    known.set(text, result);
    return result;
  };
}
