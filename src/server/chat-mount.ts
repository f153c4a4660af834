import { chatCompletions, modelList } from './chat/chat-completions.ts';
import { chatErrorResponse } from './chat/chat-error.ts';
import type { Mount } from './mount.ts';

/** The model that stands for the default agent. */
const defaultModel = 'assay';

/** OpenAI's chat completions: the model `assay` is the default agent of the tenant, every other one the agent of that name. */
export function chatMounts(options: { maxBodyBytes: number }): Mount[] {
  return [
    {
      methods: ['POST'],
      path: '/v1/chat/completions',
      summary: 'A run, asked for and answered as an OpenAI chat completion',
      scope: 'run',
      refuse: chatErrorResponse,
      async handle(request, { agents, runs }) {
        const body: unknown = await request
          .clone()
          .json()
          .catch(() => undefined);
        const model: unknown = Reflect.get(Object(body), 'model');
        const chosen = agents.find(({ name }) => name === model) ?? agents[0];
        if (!chosen) return Response.json(modelList([]), { status: 404 });
        const answer = chatCompletions({
          agent: chosen.agent,
          model: chosen.name === model ? chosen.name : defaultModel,
          maxBodyBytes: options.maxBodyBytes,
        });
        return answer(request, {
          start: (task, { budget, signal }) =>
            runs.start(task, { agent: chosen.name, ...(budget && { budget }), ...(signal && { signal }) }),
        });
      },
    },
    {
      methods: ['GET'],
      path: '/v1/models',
      summary: 'The agents, as OpenAI lists models',
      scope: 'read',
      refuse: chatErrorResponse,
      handle: (_request, { agents }) => Response.json(modelList([defaultModel, ...agents.map(({ name }) => name)])),
    },
  ];
}
