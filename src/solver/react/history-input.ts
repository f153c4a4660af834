import { parseJson } from '../../model/parse.ts';

/**
 * The arguments of a call as the history shows them: always an object, whatever the model wrote, since providers refuse requests
 * that hold less; and with every digit, since the model takes its own history for what it has said.
 */
export function historyInput(input: string): unknown {
  if (/^\s*(?:null\s*)?$/.test(input)) return {};
  try {
    const value: unknown = /\d{16}/.test(input) ? exact(input) : JSON.parse(input);
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value;
  } catch {
    // Shown as text below.
  }
  return { unreadable: input.slice(0, 200) };
}

/** Long numbers as text of their digits: JSON.parse would round them. */
function exact(input: string): unknown {
  const parsed = parseJson(input);
  return parsed.ok && parsed.repairs.every((repair) => repair === 'big-number') ? parsed.value : undefined;
}
