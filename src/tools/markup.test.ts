import { expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../agent.ts';
import { scriptedModel } from '../model/providers/script-model.ts';
import { callFinal, callTool } from '../testing/replies.ts';
import { withoutMarkup } from './markup.ts';
import { type Tool, tool } from './tool.ts';

const page = `<!DOCTYPE html>
<html><head><title>Harbour</title><style>p { color: red }</style><script>track("visit")</script></head>
<body><nav>Home</nav><p>Open from <b>9</b> to 17.</p></body></html>`;

it('reduces a whole page to what it says', async () => {
  const text = await withoutMarkup(page);
  expect(text).toContain('Harbour');
  expect(text).toContain('Open from 9 to 17.');
  expect(text).not.toMatch(/<p>|track|color/);
});

it.each([
  ['text', 'The tag <html> begins a page.'],
  ['data', '{"html":"<html></html>"}'],
  ['a part of a page', '<p>Open from 9 to 17.</p>'],
])('leaves %s as it is', async (_, text) => {
  expect(await withoutMarkup(text)).toBe(text);
});

it('leaves markup that was asked for', async () => {
  const read = async (markup: Tool['markup']): Promise<string | undefined> => {
    const look = tool({
      name: 'look',
      description: 'Looks.',
      input: z.object({}),
      effect: 'read',
      markup,
      run: () => page,
    });
    const model = scriptedModel([callTool('look'), callFinal('done')]);
    return (await defineAgent({ model, tools: [look] }).run('look')).attempt.observations[0]?.content;
  };
  expect(await read('text')).not.toContain('<p>');
  expect(await read('source')).toContain('<p>');
});
