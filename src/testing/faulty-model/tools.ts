import * as z from 'zod';
import { calculator } from '../../tools/builtin/calculator/calculator.ts';
import { type Tool, tool } from '../../tools/tool.ts';
import type { GeneratedTask } from './generated-task.ts';

/**
 * The tools that generated tasks need: `searchDocs` over their documents, whose search for an unknown title is an error, `calculator`,
 * and `sendMessage`, an irreversible effect that sends nothing. Code tasks also need `runCode`, which is not among them.
 */
export function generatedTools(tasks: readonly GeneratedTask[]): Tool[] {
  const documents = tasks.flatMap((task) => task.documents);
  return [searchOver(documents), calculator(), messenger()];
}

type Document = GeneratedTask['documents'][number];

function searchOver(documents: readonly Document[]): Tool {
  const byTopic = new Map<string, Document[]>();
  for (const document of documents) {
    const topic = topicOf(document.title);
    byTopic.set(topic, [...(byTopic.get(topic) ?? []), document]);
  }
  return tool({
    name: 'searchDocs',
    description: 'Searches the documents by their title and returns the passages of those that fit, word for word.',
    input: z.object({ query: z.string().min(1).describe('The title, with or without its edition.') }),
    effect: 'read',
    run: ({ query }) => {
      const found = byTopic.get(topicOf(query));
      if (!found) throw new Error(`no document has the title "${query}"`);
      const passages = found.map(({ title, text }, index) => {
        const last = text.split('\n').length;
        return `${index + 1}. ${title}, ${last === 1 ? 'line 1' : `lines 1-${last}`}\n\n${text}`;
      });
      return [`The best passages for "${query}":`, ...passages].join('\n\n');
    },
  });
}

/** A title without its edition: year, month or what follows a comma. */
function topicOf(title: string): string {
  return title
    .replace(/,.*$| \d{4}(?:-\d\d)?$/, '')
    .trim()
    .toLowerCase();
}

function messenger(): Tool {
  return tool({
    name: 'sendMessage',
    description: 'Sends a message to an address.',
    input: z.object({ to: z.string(), text: z.string() }),
    effect: 'irreversible',
    run: ({ to }) => `sent to ${to}`,
  });
}
