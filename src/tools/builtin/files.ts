import { realpathSync } from 'node:fs';
import * as path from 'node:path';
import * as z from 'zod';
import { UsageError } from '../../core/errors.ts';
import type { StepContext } from '../../core/step.ts';
import { type Tool, type Touched, tool } from '../tool.ts';
import { checkFolder } from './documents/folder.ts';
import { type Area, touchedPaths } from './files/area.ts';
import { glob, longestGlob } from './files/glob.ts';
import { Serial } from './files/serial.ts';

export interface FilesOptions {
  /** Adds `writeFile`, `editFile` and `deleteFile`. Default false: the model can look and change nothing. */
  write?: boolean;
  /** Whether names that begin with a dot (`.env`, `.git`) are in reach. Default false. */
  hidden?: boolean;
  /**
   * Globs of what no tool reads, lists, finds or writes, with all that is below: `['secrets', '*.pem']`. A search reads everything below
   * its folder, so this, and not a rule by path, is what keeps a part of the folder out of it.
   */
  exclude?: readonly string[];
  /** Of a file that is read or written, and of one file out of an archive. Default 5 MiB. */
  maxFileBytes?: number;
  /** Of a zip archive that is looked into. Default 32 MiB. */
  maxArchiveBytes?: number;
  /** Of all files that one search reads. Default 64 MiB. */
  maxSearchBytes?: number;
  /** Entries that one listing or search looks at. Default 20,000. */
  maxEntries?: number;
  /** Entries in one listing. Default 500. */
  maxListed?: number;
  /** Characters of text in one `readFile`. Default 20,000. */
  maxChars?: number;
  /** `trusted` for a folder that only people you trust write to. Default `untrusted`. */
  trust?: Tool['trust'];
}

type Limits = Required<Omit<FilesOptions, 'write' | 'hidden' | 'exclude' | 'trust'>>;

interface Shared {
  area: Area;
  limits: Limits;
  trust: Tool['trust'];
}

const mebibyte = 1024 * 1024;
const slowMs = 60_000;

/**
 * Tools for the files below one folder: `readFile`, `listFiles`, `searchFiles`, and with `write` also `writeFile`, `editFile` (effect
 * `write`) and `deleteFile` (`irreversible`). Nothing outside of the folder is reached: links are refused wherever they lead, devices and
 * pipes too. Zip archives are looked into, never extracted. Throws `UsageError` when the folder cannot be read.
 */
export function files(root: string, options: FilesOptions = {}): Tool[] {
  checkFolder(root);
  const { write = false, hidden = false, exclude = [], trust = 'untrusted', ...given } = options;
  const spelled = path.resolve(root);
  const shared: Shared = {
    area: { root: realpathSync.native(spelled), spelled, hidden, exclude: exclude.map(glob) },
    limits: checked({
      maxFileBytes: 5 * mebibyte,
      maxArchiveBytes: 32 * mebibyte,
      maxSearchBytes: 64 * mebibyte,
      maxEntries: 20_000,
      maxListed: 500,
      maxChars: 20_000,
      ...given,
    }),
    trust,
  };
  const reading = [readFile(shared), listFiles(shared), searchFiles(shared)];
  if (!write) return reading;
  const serial = new Serial();
  return [...reading, writeFile(shared, serial), editFile(shared, serial), deleteFile(shared, serial)];
}

function checked(limits: Limits): Limits {
  for (const [name, limit] of Object.entries(limits)) {
    if (!Number.isSafeInteger(limit) || limit < 1) {
      throw new UsageError(`${name} is ${limit}: give a whole number of at least 1`);
    }
  }
  return limits;
}

const filePath = z
  .string()
  .min(1)
  .max(1_024)
  .describe('Relative to the folder, with /, for example notes/today.md. Links are not followed.');
const folderPath = filePath.default('.');
const expectSha256 = z
  .string()
  .regex(/^[0-9a-f]{16,64}$/)
  .optional()
  .describe('The sha256 that readFile showed (16 hex digits or more): refused when the file is another one by now.');

function touching(area: Area): (args: { path: string }) => Touched {
  return (args) => ({ paths: touchedPaths(area, args.path) });
}

function readFile({ area, limits, trust }: Shared): Tool {
  return tool({
    name: 'readFile',
    description: 'Returns the text of one file, or some lines of it, with its size and sha256.',
    input: z.object({
      path: filePath,
      entry: z.string().min(1).max(1_024).optional().describe('A file inside of the zip archive at path.'),
      from: z.int().min(1).default(1).describe('The first line.'),
      lines: z.int().min(1).optional().describe('How many lines; without it, as many as fit.'),
    }),
    effect: 'read',
    trust,
    markup: 'source',
    touches: touching(area),
    run: async (wish, { signal }) => (await import('./files/read-file.ts')).readText(area, wish, { limits, signal }),
  });
}

function listFiles({ area, limits, trust }: Shared): Tool {
  return tool({
    name: 'listFiles',
    description: 'Lists what stands in a folder or in a zip archive, with sizes.',
    input: z.object({
      path: folderPath,
      depth: z.int().min(1).max(32).default(1).describe('1: the folder itself; more: folders in it as well.'),
    }),
    effect: 'read',
    trust,
    markup: 'source',
    timeoutMs: slowMs,
    touches: touching(area),
    run: async (wish, { signal }) => (await import('./files/list-files.ts')).listFolder(area, wish, { limits, signal }),
  });
}

function searchFiles({ area, limits, trust }: Shared): Tool {
  return tool({
    name: 'searchFiles',
    description: 'Finds files below a folder by name (glob), or the lines in them that hold a text.',
    input: z.object({
      path: folderPath,
      text: z
        .string()
        .min(1)
        .max(1_000)
        .regex(/^[^\r\n]*$/, 'one line only')
        .optional()
        .describe('Literal text within one line, no regular expression.'),
      glob: z
        .string()
        .min(1)
        .max(longestGlob)
        .optional()
        .describe('Which files, for example *.md or src/**/*.{ts,js}; without it, all.'),
      ignoreCase: z.boolean().default(false),
      limit: z.int().min(1).max(200).default(50).describe('How many matches to return.'),
    }),
    effect: 'read',
    trust,
    markup: 'source',
    timeoutMs: slowMs,
    touches: touching(area),
    run: async (wish, { signal }) =>
      (await import('./files/search-files.ts')).searchFolder(area, wish, { limits, signal }),
  });
}

function writeFile({ area, limits, trust }: Shared, serial: Serial): Tool {
  const options = ({ signal }: StepContext) => ({ maxFileBytes: limits.maxFileBytes, signal });
  return tool({
    name: 'writeFile',
    description:
      'Writes a text file (UTF-8) as a whole; missing folders are made. To change a part of a file, use editFile.',
    input: z.object({
      path: filePath,
      mode: z
        .enum(['create', 'overwrite', 'append'])
        .describe('create: the file must be new; overwrite: it must exist; append: adds to its end, or makes it.'),
      content: z.string().describe('The whole text, or what is appended.'),
      expectSha256,
    }),
    effect: 'write',
    trust,
    markup: 'source',
    touches: touching(area),
    run: async (wish, context) => {
      const { writeText } = await import('./files/change-files.ts');
      return serial.run(() => writeText(area, wish, options(context)));
    },
    reconcile: async (wish, context) =>
      (await import('./files/change-files.ts')).reconcileWrite(area, wish, options(context)),
  });
}

function editFile({ area, limits, trust }: Shared, serial: Serial): Tool {
  return tool({
    name: 'editFile',
    description: 'Replaces one piece of text in a file. oldText must stand in it exactly once.',
    input: z.object({
      path: filePath,
      oldText: z.string().min(1).describe('Copied exactly, with enough lines around it to be unique.'),
      newText: z.string().describe('What stands there afterwards; empty to remove it.'),
      expectSha256,
    }),
    effect: 'write',
    trust,
    markup: 'source',
    touches: touching(area),
    run: async (wish, { signal }) => {
      const { editText } = await import('./files/change-files.ts');
      return serial.run(() => editText(area, wish, { maxFileBytes: limits.maxFileBytes, signal }));
    },
  });
}

function deleteFile({ area, limits, trust }: Shared, serial: Serial): Tool {
  const options = ({ signal }: StepContext) => ({ maxFileBytes: limits.maxFileBytes, signal });
  return tool({
    name: 'deleteFile',
    description: 'Deletes one file. Folders are not deleted.',
    input: z.object({ path: filePath, expectSha256 }),
    effect: 'irreversible',
    trust,
    markup: 'source',
    touches: touching(area),
    run: async (wish, context) => {
      const { deleteOne } = await import('./files/change-files.ts');
      return serial.run(() => deleteOne(area, wish, options(context)));
    },
    reconcile: async (wish, context) =>
      (await import('./files/change-files.ts')).reconcileDelete(area, wish, options(context)),
  });
}
