/** The encodings that text files are read and written in. */
type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

export interface FileText {
  /** Without the byte order mark. */
  text: string;
  encoding: Encoding;
  hasMark: boolean;
}

/** The text of a file's bytes (UTF-8, or UTF-16 with a byte order mark), or the reason why it is none. */
export function fileText(bytes: Uint8Array): FileText | { refused: string } {
  const wide = wideEncoding(bytes);
  if (wide) return { text: new TextDecoder(wide).decode(bytes), encoding: wide, hasMark: true };
  if (bytes.includes(0)) return { refused: `it is a binary file${kindOf(bytes)}` };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { text, encoding: 'utf-8', hasMark: startsWith(bytes, [0xef, 0xbb, 0xbf]) };
  } catch {
    const kind = kindOf(bytes);
    return { refused: kind === '' ? 'it is not UTF-8 text: convert it to UTF-8' : `it is a binary file${kind}` };
  }
}

/** The bytes of a text; the opposite of `fileText`. */
export function fileBytes({ text, encoding, hasMark }: FileText): Buffer {
  const marked = hasMark ? `\ufeff${text}` : text;
  if (encoding === 'utf-8') return Buffer.from(marked, 'utf8');
  const bytes = Buffer.from(marked, 'utf16le');
  return encoding === 'utf-16le' ? bytes : bytes.swap16();
}

function wideEncoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (startsWith(bytes, [0xff, 0xfe])) return 'utf-16le';
  if (startsWith(bytes, [0xfe, 0xff])) return 'utf-16be';
  return undefined;
}

const kinds: [kind: string, beginning: number[]][] = [
  ['PNG image', [0x89, 0x50, 0x4e, 0x47]],
  ['JPEG image', [0xff, 0xd8, 0xff]],
  ['GIF image', [0x47, 0x49, 0x46, 0x38]],
  ['PDF document', [0x25, 0x50, 0x44, 0x46]],
  ['zip archive', [0x50, 0x4b, 0x03, 0x04]],
  ['zip archive', [0x50, 0x4b, 0x05, 0x06]],
  ['gzip data', [0x1f, 0x8b]],
  ['ELF program', [0x7f, 0x45, 0x4c, 0x46]],
  ['Windows program', [0x4d, 0x5a]],
  ['SQLite database', [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20, 0x66]],
  ['WebAssembly module', [0x00, 0x61, 0x73, 0x6d]],
];

function kindOf(bytes: Uint8Array): string {
  const kind = kinds.find(([, beginning]) => startsWith(bytes, beginning))?.[0];
  return kind === undefined ? '' : ` (${kind})`;
}

/** Whether the bytes are a zip archive, by their beginning. */
export function isZip(bytes: Uint8Array): boolean {
  return kindOf(bytes) === ' (zip archive)';
}

function startsWith(bytes: Uint8Array, beginning: number[]): boolean {
  return beginning.every((byte, index) => bytes[index] === byte);
}
