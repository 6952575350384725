import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { McpClient } from './mcp-client.ts';

/** The extension of 2026-07-28 by which clients take tasks. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** How a call may become a task. */
export interface TaskMode {
  /** How long its client waits for the result, before it gets a task. */
  readonly waitMs: number;
  /** How long the client wants the task to be kept; undefined: it does not say. */
  readonly ttlMs: number | undefined;
}

/** A client that lets the server decide gets a task in place of a result that takes longer. */
const RESULT_MS = 10_000;

/** How a call of the client may become a task; undefined: it may not. `requested` is the member `task` of its params. */
export function taskMode(client: McpClient, requested: JsonValue | undefined): TaskMode | undefined {
  if (client.isStateless) return declaresTasks(client) ? { waitMs: RESULT_MS, ttlMs: undefined } : undefined;
  if (!isObject(requested)) return undefined;
  const { ttl } = requested;
  return { waitMs: 0, ttlMs: typeof ttl === 'number' && ttl > 0 ? Math.floor(ttl) : undefined };
}

/** The first version with tasks, for clients with a handshake. */
const TASKS_VERSION = '2025-11-25';

/**
 * The capabilities of a server that runs tasks, by the version of a handshake (undefined: none). Clients without a credential cannot be told apart, so
 * that they see no list.
 */
export function taskCapabilities(caller: string, version: string | undefined): JsonObject {
  if (version === undefined) return { extensions: { [TASKS_EXTENSION]: {} } };
  if (version !== TASKS_VERSION) return {};
  const tasks = { cancel: {}, requests: { tools: { call: {} } } };
  return { tasks: caller === 'anonymousClient' ? tasks : { ...tasks, list: {} } };
}

/** Whether a client without a handshake takes tasks. */
export function declaresTasks({ capabilities }: Pick<McpClient, 'capabilities'>): boolean {
  const { extensions } = capabilities;
  return isObject(extensions) && isObject(extensions[TASKS_EXTENSION]);
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
