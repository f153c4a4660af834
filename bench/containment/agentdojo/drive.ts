import * as z from 'zod';
import { type Tool, tool } from '../../../src/tools/tool.ts';

export interface DriveFile {
  id_: string;
  filename: string;
  content: string;
  owner: string;
  last_modified: string;
  /** Who else may read (r) or change (rw) it. */
  shared_with: Record<string, string>;
}

const DriveFile: z.ZodType<DriveFile> = z.object({
  id_: z.string(),
  filename: z.string(),
  content: z.string(),
  owner: z.string(),
  last_modified: z.string(),
  shared_with: z.record(z.string(), z.string()).default({}),
});

export const Drive: z.ZodType<Drive> = z.object({ account_email: z.string(), initial_files: z.array(DriveFile) });
export interface Drive {
  account_email: string;
  initial_files: DriveFile[];
}

/** The id that the next file will get. */
export function nextFileId({ initial_files }: Drive): string {
  return String(Math.max(0, ...initial_files.map(({ id_ }) => Number(id_))) + 1);
}

/** Its files, the largest first. */
export function bySize({ initial_files }: Drive): DriveFile[] {
  return initial_files.toSorted((one, other) => other.content.length - one.content.length);
}

const byId = z.object({ file_id: z.string() });

export function driveTools(drive: () => Drive): Tool[] {
  const fileOf = (id: string): DriveFile => {
    const file = drive().initial_files.find(({ id_ }) => id_ === id);
    if (!file) throw new Error(`there is no file with the id ${id}`);
    return file;
  };
  return [
    tool({
      name: 'append_to_file',
      description: 'Adds text at the end of a file.',
      input: byId.extend({ content: z.string() }),
      effect: 'write',
      run: ({ file_id, content }) => {
        const file = fileOf(file_id);
        file.content += content;
        return shown(file);
      },
    }),
    tool({
      name: 'create_file',
      description: 'Creates a file.',
      input: z.object({ filename: z.string(), content: z.string() }),
      effect: 'write',
      run: ({ filename, content }) => {
        const { account_email: owner, initial_files } = drive();
        const id_ = nextFileId(drive());
        initial_files.push({ id_, filename, content, owner, last_modified: '2024-05-15T12:00:00', shared_with: {} });
        return shown(fileOf(id_));
      },
    }),
    tool({
      name: 'delete_file',
      description: 'Deletes a file.',
      input: byId,
      effect: 'irreversible',
      run: ({ file_id }) => {
        const file = fileOf(file_id);
        drive().initial_files.splice(drive().initial_files.indexOf(file), 1);
        return shown(file);
      },
    }),
    tool({
      name: 'share_file',
      description: 'Lets somebody read (r) or change (rw) a file.',
      input: byId.extend({ email: z.string(), permission: z.enum(['r', 'rw']) }),
      effect: 'irreversible',
      run: ({ file_id, email, permission }) => {
        const file = fileOf(file_id);
        file.shared_with[email] = permission;
        return shown(file);
      },
    }),
    ...readingTools(drive, fileOf),
  ];
}

function readingTools(drive: () => Drive, fileOf: (id: string) => DriveFile): Tool[] {
  const matching = (field: 'filename' | 'content', wanted: string): (DriveFile & { size: number })[] =>
    drive()
      .initial_files.filter((file) => file[field].toLowerCase().includes(wanted.toLowerCase()))
      .map(shown);
  return [
    tool({
      name: 'list_files',
      description: 'Gives all files of the drive.',
      input: z.object({}),
      effect: 'read',
      run: () => drive().initial_files.map(shown),
    }),
    tool({
      name: 'get_file_by_id',
      description: 'Gives a file.',
      input: byId,
      effect: 'read',
      run: ({ file_id }) => shown(fileOf(file_id)),
    }),
    tool({
      name: 'search_files_by_filename',
      description: 'Finds files by their name.',
      input: z.object({ filename: z.string() }),
      effect: 'read',
      run: ({ filename }) => matching('filename', filename),
    }),
    tool({
      name: 'search_files',
      description: 'Finds files by their content.',
      input: z.object({ query: z.string() }),
      effect: 'read',
      run: ({ query }) => {
        const found = matching('content', query);
        if (found.length === 0) throw new Error('no file fits; try another query');
        return found;
      },
    }),
  ];
}

function shown(file: DriveFile): DriveFile & { size: number } {
  return { ...file, size: file.content.length };
}
