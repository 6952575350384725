import { setTimeout as delay } from 'node:timers/promises';
import type { CallToolRequestParams } from '@modelcontextprotocol/client';
import { ProtocolError } from '@modelcontextprotocol/client';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { CallFailure } from '../failure.ts';
import { isObject, textOf } from '../templates.ts';
import type { McpSession } from './session.ts';
import { TASK_NOTIFICATION } from './upstream-task.ts';

/** Time for which the server is asked to keep the task; longer than any call. */
const KEPT_MS = 900_000;
/** Minimum and maximum time between two polls of a task; the server may state a time in between. */
const POLL_MS = 1_000;
const MIN_POLL_MS = 100;
const MAX_POLL_MS = 10_000;
const CANCEL_LIMIT_MS = 2_000;
/** Source: JSON-RPC 2.0, section 5.1. */
const INTERNAL_ERROR = -32_603;

/**
 * Calls a tool as a task at a server with a handshake (MCP 2025-11-25), and returns the call's result. Throws
 * ProtocolError for the server's error, and CallFailure if the server cancels the task. If the call ends first, the
 * task is cancelled at the server.
 */
export async function runTask(session: McpSession, params: CallToolRequestParams): Promise<JsonObject> {
  // The parameters are JSON.
  const callParams = { ...(params as unknown as JsonObject), task: { ttl: KEPT_MS } };
  const created = await request(session, 'tools/call', callParams);
  const { task } = created;
  // The server may answer without a task.
  if (task === undefined || !isObject(task)) return created;
  const taskId = textOf(task['taskId'] ?? '');
  session.conversation?.notify(TASK_NOTIFICATION, {});
  try {
    await untilResult(session, taskId, task);
    // Fetching the result lets a server that needs input ask for it.
    return await request(session, 'tasks/result', { taskId });
  } catch (error) {
    if (!(error instanceof CallFailure || error instanceof ProtocolError)) await cancel(session, taskId);
    throw error;
  }
}

/** Waits until the task has ended, or needs input. */
async function untilResult(session: McpSession, taskId: string, created: JsonObject): Promise<void> {
  for (let task = created; ; task = await request(session, 'tasks/get', { taskId })) {
    const { status, pollInterval } = task;
    if (status === 'cancelled') throw new CallFailure('The MCP server has cancelled the call.');
    if (status !== 'working') return;
    const pollMs = typeof pollInterval === 'number' ? pollInterval : POLL_MS;
    const pause = Math.min(Math.max(pollMs, MIN_POLL_MS), MAX_POLL_MS);
    await delay(pause, undefined, { signal: session.options.signal });
  }
}

/** Cancels the task at the server, which may ignore it. */
async function cancel(session: McpSession, taskId: string): Promise<void> {
  // The call's own signal is already aborted.
  const limit = AbortSignal.timeout(CANCEL_LIMIT_MS);
  await session.sendAside('tasks/cancel', { taskId }, {}, limit).catch(() => undefined);
}

async function request(session: McpSession, method: string, params: JsonObject): Promise<JsonObject> {
  const { result, error } = await session.sendAside(method, params, {});
  if (result === undefined) throw protocolError(error);
  return isObject(result) ? result : {};
}

function protocolError(error: Json | undefined): ProtocolError {
  const { code, message, data } = error !== undefined && isObject(error) ? error : {};
  return new ProtocolError(
    typeof code === 'number' ? code : INTERNAL_ERROR,
    typeof message === 'string' ? message : 'the task failed',
    data,
  );
}
