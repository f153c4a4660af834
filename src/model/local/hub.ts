import { UsageError } from '../../core/errors.ts';
import type { LocalModelRow } from './models-table.ts';

/** Where a file is fetched, and with what. */
export interface HubFile {
  url: string;
  headers: Record<string, string>;
  /** Where a human reads about the model and accepts its licence, where the source has such a page. */
  page?: string;
}

const mirrors: Readonly<Record<string, string>> = {
  huggingface: 'https://huggingface.co',
  'hf-mirror': 'https://hf-mirror.com',
  modelscope: 'https://modelscope.cn/models',
};

/**
 * The file of a model at a source: `huggingface` (the default, where `HF_ENDPOINT` points), `hf-mirror`, `modelscope`, the address of a hub
 * with the same paths, or of the file itself (`….gguf`). `HF_TOKEN` goes to `huggingface` only. Throws `UsageError` for another word.
 */
export function hubFile(row: LocalModelRow, env: NodeJS.ProcessEnv, from?: string): HubFile {
  const source = from?.trim() || 'huggingface';
  const endpoint = source === 'huggingface' ? env['HF_ENDPOINT']?.trim() : undefined;
  const base = endpoint || (Object.hasOwn(mirrors, source) ? mirrors[source] : source);
  if (base === undefined || !/^https?:\/\//i.test(base) || !URL.canParse(base)) {
    throw new UsageError(
      `"${base}" is no source of models. Give ${Object.keys(mirrors).join(', ')}, or the address of a hub or of a .gguf file (https://...).`,
    );
  }
  const token = source === 'huggingface' ? env['HF_TOKEN']?.trim() : undefined;
  const revision = source === 'modelscope' && row.revision === 'main' ? 'master' : row.revision;
  const path = [row.repo, 'resolve', revision, row.file].map((part) => encodeURI(part)).join('/');
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  if (/\.gguf$/i.test(new URL(base).pathname)) return { url: base, headers };
  const hub = base.replace(/\/+$/, '');
  return { url: `${hub}/${path}`, headers, page: `${hub}/${row.repo}` };
}
