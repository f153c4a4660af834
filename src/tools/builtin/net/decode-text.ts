/** A body with the charset its content type names, if any, and whether its end is missing. */
interface EncodedText {
  body: Uint8Array;
  charset: string | undefined;
  truncated: boolean;
}

/**
 * The text of a body. A byte order mark decides, then `charset`, then a declaration in the text itself, then whether it is
 * valid UTF-8; windows-1252 is the last resort, so it never throws.
 */
export function decodeText({ body, charset, truncated }: EncodedText): string {
  const declared = decoderOf(charset) ?? decoderOf(declaredInside(body));
  const marked = markedEncoding(body);
  if (marked) return new TextDecoder(marked).decode(body);
  if (declared) return declared.decode(body);
  try {
    // A body cut at the size limit may end inside a character, which streaming mode does not mind.
    return new TextDecoder('utf-8', { fatal: true }).decode(body, { stream: truncated });
  } catch {
    return new TextDecoder('windows-1252').decode(body);
  }
}

function markedEncoding(body: Uint8Array): string | undefined {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8';
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be';
  return undefined;
}

function decoderOf(label: string | undefined): InstanceType<typeof TextDecoder> | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label);
  } catch {
    // An unknown label says nothing; the next source decides.
    return undefined;
  }
}

/**
 * The charset of an HTML `meta` element or an XML declaration in the first 1,024 bytes (HTML standard, section 13.2.3.2). A text
 * in which it can be read byte by byte is not the UTF-16 it may claim to be.
 */
function declaredInside(body: Uint8Array): string | undefined {
  const beginning = new TextDecoder('latin1').decode(body.subarray(0, 1024));
  const label = /(?:<meta[^>]{0,200}charset|<\?xml[^>]{0,200}encoding)\s*=\s*["']?([\w.:-]+)/i.exec(beginning)?.[1];
  return label !== undefined && /^utf-?16/i.test(label) ? 'utf-8' : label;
}
