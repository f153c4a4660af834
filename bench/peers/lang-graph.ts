/** The same task as a LangGraph.js graph. Installed apart, see package.json beside this file. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage, SystemMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import { tool } from '@langchain/core/tools';
import { type BaseCheckpointSaver, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import * as z from 'zod';
import { answer, assertAnswer, type Contender, type OpenAgent, steps, toolCalls } from '../concurrent/contender.ts';
import { page } from '../instant-model.ts';

type Bound = SQLInputValue | undefined;
type SaverDatabase = ConstructorParameters<typeof SqliteSaver>[0];

export const memorySaver: Contender = {
  open: async ({ delayMs }) => openGraph(new MemorySaver(), { delayMs, durability: 'async', close: () => {} }),
};

/** Writes a checkpoint before it goes on (`sync`), as a durable run has to. */
export const sqliteSaver: Contender = {
  open: async ({ folder, delayMs }) => {
    const database = new DatabaseSync(`${folder}/lang-graph.db`);
    const saver = new SqliteSaver(betterSqlite(database));
    database.exec('PRAGMA synchronous = FULL');
    return openGraph(saver, { delayMs, durability: 'sync', close: () => database.close() });
  },
};

/** The replies of `instantModel` as LangChain's messages. */
class ScriptedChatModel extends BaseChatModel {
  readonly delayMs: number;

  constructor(delayMs: number) {
    super({});
    this.delayMs = delayMs;
  }

  _llmType(): string {
    return 'scripted';
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
    const turn = messages.filter((message) => message.getType() === 'ai').length;
    const over = turn >= toolCalls;
    const message = new AIMessage({
      content: over ? answer : '',
      tool_calls: over ? [] : [{ id: `c${turn}`, name: 'search', args: { query: `q${turn}` }, type: 'tool_call' }],
    });
    return { generations: [{ text: over ? answer : '', message }] };
  }
}

function openGraph(
  checkpointer: BaseCheckpointSaver,
  options: { delayMs: number; durability: 'async' | 'sync'; close(): void },
): OpenAgent {
  const model = new ScriptedChatModel(options.delayMs);
  const search = tool(async ({ query }) => query + page, {
    name: 'search',
    description: 'Search.',
    schema: z.object({ query: z.string() }),
  });
  const instructions = new SystemMessage('s');
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('model', async ({ messages }) => ({ messages: [await model.invoke([instructions, ...messages])] }))
    .addNode('tools', new ToolNode([search]))
    .addEdge(START, 'model')
    .addConditionalEdges('model', toolsCondition)
    .addEdge('tools', 'model')
    .compile({ checkpointer });
  return {
    run: async () => {
      const { messages } = await graph.invoke(
        { messages: [{ role: 'user', content: 't' }] },
        {
          configurable: { thread_id: crypto.randomUUID() },
          durability: options.durability,
          recursionLimit: 2 * steps,
        },
      );
      assertAnswer(messages.at(-1)?.content);
      return messages.filter((message) => message.getType() === 'tool').length;
    },
    close: async () => options.close(),
  };
}

/**
 * Node's own SQLite in the shape of better-sqlite3, as far as the saver uses it. That package compiles C++ where it has no prebuilt
 * binary, and what came out aborted under Node 24 whenever a statement was collected.
 */
function betterSqlite(database: DatabaseSync): SaverDatabase {
  const adapter = {
    pragma: (source: string) => database.prepare(`PRAGMA ${source}`).all(),
    exec: (source: string) => database.exec(source),
    prepare: (source: string) => {
      const statement = database.prepare(source);
      return {
        get: (...values: Bound[]) => statement.get(...values.map(orNull)),
        all: (...values: Bound[]) => statement.all(...values.map(orNull)),
        run: (...values: Bound[]) => statement.run(...values.map(orNull)),
      };
    },
    transaction:
      <Parameters extends unknown[]>(change: (...parameters: Parameters) => unknown) =>
      (...parameters: Parameters): void => {
        database.exec('BEGIN');
        try {
          change(...parameters);
          database.exec('COMMIT');
        } catch (error) {
          database.exec('ROLLBACK');
          throw error;
        }
      },
  };
  // Only these methods are called by the saver of the pinned version.
  return adapter as unknown as SaverDatabase;
}

function orNull(value: Bound): SQLInputValue {
  return value ?? null;
}
