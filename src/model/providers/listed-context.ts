import * as z from 'zod';
import { patientFetch } from './patient-fetch.ts';

const Listed = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      /** vLLM. */
      max_model_len: z.number().nullish(),
      /** llama.cpp. */
      meta: z.object({ n_ctx: z.number().nullish() }).nullish(),
    }),
  ),
});

const listTimeoutMs = 1_000;

/** The tokens of context that a server lists for a model; undefined where it lists none or does not answer in time. */
export async function listedContext(
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string | undefined },
  modelId: string,
): Promise<number | undefined> {
  try {
    const headers = apiKey ? { authorization: `Bearer ${apiKey}` } : {};
    const response = await patientFetch(`${baseUrl}/models`, { headers, signal: AbortSignal.timeout(listTimeoutMs) });
    const { data } = Listed.parse(await response.json());
    const model = data.find(({ id }) => id === modelId) ?? (data.length === 1 ? data[0] : undefined);
    return model?.meta?.n_ctx ?? model?.max_model_len ?? undefined;
  } catch {
    return undefined;
  }
}
