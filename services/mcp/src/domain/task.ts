import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { McpClient } from './mcp-client.ts';

/** The extension of 2026-07-28 that lets clients use tasks. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** The conditions under which a call becomes a task. */
export interface TaskMode {
  /** How long its client waits for the result before it gets a task. */
  readonly waitMs: number;
  /** How long the client wants the task to be kept; undefined: not specified. */
  readonly ttlMs: number | undefined;
}

/** Time limit for results of clients that let the server decide; afterwards they get a task. */
const RESULT_MS = 10_000;

/** Conditions under which the client's call becomes a task; undefined: it may not. `requested` is the member `task` of its params. */
export function taskMode(client: McpClient, requested: JsonValue | undefined): TaskMode | undefined {
  if (client.isStateless) return declaresTasks(client) ? { waitMs: RESULT_MS, ttlMs: undefined } : undefined;
  if (!isObject(requested)) return undefined;
  const { ttl } = requested;
  return { waitMs: 0, ttlMs: typeof ttl === 'number' && ttl > 0 ? Math.floor(ttl) : undefined };
}

/** The first handshake version with tasks. */
const TASKS_VERSION = '2025-11-25';

/**
 * The task capabilities of a server, by version of the handshake (undefined: none). Anonymous clients cannot be told apart, so they get no
 * list.
 */
export function taskCapabilities(caller: string, version: string | undefined): JsonObject {
  if (version === undefined) return { extensions: { [TASKS_EXTENSION]: {} } };
  if (version !== TASKS_VERSION) return {};
  const tasks = { cancel: {}, requests: { tools: { call: {} } } };
  return { tasks: caller === 'anonymousClient' ? tasks : { ...tasks, list: {} } };
}

/** Whether a client without a handshake supports tasks. */
export function declaresTasks({ capabilities }: Pick<McpClient, 'capabilities'>): boolean {
  const { extensions } = capabilities;
  return isObject(extensions) && isObject(extensions[TASKS_EXTENSION]);
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
