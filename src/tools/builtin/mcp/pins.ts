import { UsageError } from '../../../core/errors.ts';
import type { ToolDefinition } from './definition.ts';
import type { McpEnrolment } from './enrolment.ts';

/** What was accepted of one tool. */
export interface PinnedTool {
  /** As the server names it. */
  name: string;
  /** SHA-256 of the canonical definition. */
  fingerprint: string;
  /** To show what changed. */
  definition: ToolDefinition;
}

/** Where accepted tools are remembered, by the name the user gave the server. */
export interface ToolPins {
  /** The accepted tools, or undefined when the server was never seen. Throws when that cannot be known. */
  get(server: string): Promise<readonly PinnedTool[] | undefined>;
  /** Adds the tools, or replaces those of the same names. All of them or none. */
  accept(server: string, tools: readonly PinnedTool[]): Promise<void>;
}

/** Pins that last as long as the object: a change is seen within one process only. */
export function memoryPins(): ToolPins {
  const servers = new Map<string, PinnedTool[]>();
  return {
    get: async (server) => servers.get(server),
    accept: async (server, tools) => {
      servers.set(server, mergedPins(servers.get(server) ?? [], tools));
    },
  };
}

/** The pins with those of `added` in the place of others of the same name. */
export function mergedPins(pins: readonly PinnedTool[], added: readonly PinnedTool[]): PinnedTool[] {
  const names = new Set(added.map(({ name }) => name));
  return [...pins.filter(({ name }) => !names.has(name)), ...added];
}

/**
 * Accepts changed tools as a report showed them, all or those named (by the server's own names). What is accepted is what was
 * shown: if the server changed a tool again since, that tool stays blocked. Throws `UsageError` for a name that is not blocked.
 */
export async function acceptPins(pins: ToolPins, enrolment: McpEnrolment, tools?: readonly string[]): Promise<void> {
  const blocked = enrolment.tools.filter(({ status }) => status === 'changed');
  const unknown = tools?.find((name) => !blocked.some(({ tool }) => tool === name));
  if (unknown !== undefined) {
    const names = blocked.map(({ tool }) => tool).join(', ') || 'none';
    throw new UsageError(
      `acceptPins: "${unknown}" is not blocked in this report of "${enrolment.server}"; blocked: ${names}`,
    );
  }
  const accepted = blocked.flatMap(({ tool, definition, fingerprint }) =>
    definition && fingerprint !== undefined && (tools?.includes(tool) ?? true)
      ? [{ name: tool, fingerprint, definition }]
      : [],
  );
  if (accepted.length > 0) await pins.accept(enrolment.server, accepted);
}
