import { objectSlices } from '@fairlead/service-kit/json/json-slices';
import { jsonValue } from '../json-value.ts';
import type { PostedMessage } from '../posted.ts';

/** Maximum length of an answer about a task; longer ones are results. */
const MAX_ANSWER_BYTES = 8 * 1024;

/** The id of the task in this answer (MCP 2025-11-25); undefined: the call has not become a task. */
export function taskIdOf(message: PostedMessage | undefined, answer: Uint8Array): string | undefined {
  if (message?.method !== 'tools/call' || !message.params.has('task')) return undefined;
  const task = answer.length > MAX_ANSWER_BYTES ? undefined : memberOf(resultIn(answer), 'task');
  const taskId = memberOf(task, 'taskId');
  const id = taskId === undefined ? undefined : jsonValue(taskId);
  return typeof id === 'string' ? id : undefined;
}

/** The message that requests a task. */
export function taskQuestion(taskId: string): Uint8Array {
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { taskId } }));
}

/** JSON of the result in an answer; undefined: there is none. */
export function resultIn(answer: Uint8Array): Uint8Array | undefined {
  return memberOf(answer, 'result');
}

function memberOf(json: Uint8Array | undefined, name: string): Uint8Array | undefined {
  return json === undefined ? undefined : objectSlices(json)?.get(name);
}
