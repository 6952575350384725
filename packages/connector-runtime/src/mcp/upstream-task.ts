import { setTimeout as delay } from 'node:timers/promises';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { CallFailure } from '../failure.ts';
import { isObject, textOf } from '../templates.ts';
import { TASKS_EXTENSION } from './calling-client.ts';
import type { McpSession } from './session.ts';

/** The notification to the caller that the call has become a task at the server and takes longer. */
export const TASK_NOTIFICATION = 'notifications/tasks';

/** The first and the longest pause between two polls of a task; each pause is longer than the previous one. */
const FIRST_POLL_MS = 100;
const MAX_POLL_MS = 2_000;
const POLL_GROWTH = 1.5;
const CANCEL_LIMIT_MS = 2_000;
const CAPABILITIES: JsonObject = { extensions: { [TASKS_EXTENSION]: {} } };
const NO_INPUT = 'The client did not answer a request of the MCP server.';

/** Whether a result says that the call continues as a task at the server. Source: SEP-2663. */
export function isTask(result: JsonObject | undefined): result is JsonObject {
  return result?.['resultType'] === 'task' && typeof result['taskId'] === 'string';
}

/**
 * Polls a task at the server until it ends, and returns the call's result. The task's requests go to the call's
 * client. Throws CallFailure if the task fails or is cancelled. If the call ends first, the task is cancelled at the
 * server.
 */
export async function followTask(session: McpSession, task: JsonObject): Promise<JsonObject> {
  const { conversation } = session;
  const taskId = textOf(task['taskId'] ?? '');
  const signal = session.options.signal ?? new AbortController().signal;
  conversation?.notify(TASK_NOTIFICATION, {});
  const questions = new Map<string, Promise<void>>();
  const failed = Promise.withResolvers<never>();
  // Used in a race below.
  failed.promise.catch(() => undefined);
  const answer = async (key: string, asking: JsonObject): Promise<void> => {
    const response = await conversation?.answer(textOf(asking['method'] ?? ''), objectOf(asking['params']));
    const result = response?.['result'];
    if (result === undefined) throw new CallFailure(NO_INPUT);
    await request(session, 'tasks/update', { taskId, inputResponses: { [key]: result } });
  };
  try {
    for (let pause = FIRST_POLL_MS; ; pause = Math.min(pause * POLL_GROWTH, MAX_POLL_MS)) {
      await Promise.race([delay(pause, undefined, { signal }), failed.promise]);
      const present = await request(session, 'tasks/get', { taskId });
      const { status, result, error, inputRequests } = present;
      if (status === 'completed') return objectOf(result);
      if (status === 'failed') throw failureOf(error);
      if (status === 'cancelled') throw new CallFailure('The MCP server has cancelled the call.');
      for (const [key, asking] of Object.entries(objectOf(inputRequests)))
        if (!questions.has(key)) questions.set(key, answer(key, objectOf(asking)).catch(failed.reject));
    }
  } catch (error) {
    if (!(error instanceof CallFailure) || questions.size > 0) await cancel(session, taskId);
    throw error;
  }
}

function failureOf(error: Json | undefined): CallFailure {
  const { code, message, data } = objectOf(error);
  const text = typeof message === 'string' ? message : 'the task failed';
  return new CallFailure(`The MCP server returned an error: ${text}`, {
    mcpError: {
      code: typeof code === 'number' ? code : -32_603,
      message: text,
      ...(data !== undefined && { data }),
    },
  });
}

/** Cancels the task at the server, which may ignore it. */
async function cancel(session: McpSession, taskId: string): Promise<void> {
  // The call's own signal may already be aborted.
  const limit = AbortSignal.timeout(CANCEL_LIMIT_MS);
  await session.sendAside('tasks/cancel', { taskId }, CAPABILITIES, limit).catch(() => undefined);
}

/** The result of a request of this extension, which the SDK does not know. Throws CallFailure for an error. */
async function request(session: McpSession, method: string, params: JsonObject): Promise<JsonObject> {
  const { result, error } = await session.sendAside(method, params, CAPABILITIES);
  if (result === undefined) throw failureOf(error);
  return objectOf(result);
}

/** The value if it is an object, else an empty object. */
function objectOf(value: Json | undefined): JsonObject {
  return value !== undefined && isObject(value) ? value : {};
}
