import { objectSlices } from '@fairlead/service-kit/json/json-slices';
import { jsonValue } from '../json-value.ts';
import type { PostedMessage } from '../posted.ts';

/** Longer answers are results. */
const MAX_ANSWER_BYTES = 8 * 1024;

/** The id of the task that a call with this answer has become (MCP 2025-11-25); undefined: it has become none. */
export function begunTask(message: PostedMessage | undefined, answer: Uint8Array): string | undefined {
  if (message?.method !== 'tools/call' || !message.params.has('task')) return undefined;
  const task = answer.length > MAX_ANSWER_BYTES ? undefined : memberOf(resultIn(answer), 'task');
  const taskId = memberOf(task, 'taskId');
  const id = taskId === undefined ? undefined : jsonValue(taskId);
  return typeof id === 'string' ? id : undefined;
}

/** The message that reads a task. */
export function taskQuestion(taskId: string): Uint8Array {
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { taskId } }));
}

/** JSON of the result in an answer; undefined: it has none. */
export function resultIn(answer: Uint8Array): Uint8Array | undefined {
  return memberOf(answer, 'result');
}

function memberOf(json: Uint8Array | undefined, name: string): Uint8Array | undefined {
  return json === undefined ? undefined : objectSlices(json)?.get(name);
}
