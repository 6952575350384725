import { setTimeout as delay } from 'node:timers/promises';
import { acceptedContent, inputRequired } from '@modelcontextprotocol/server';
import type { SuiteTool } from './asking-tools.ts';
import { text, textResult } from './contents.ts';
import { askText, askToConfirm } from './questions.ts';

const failingJob: SuiteTool = async (_args, { mcpReq }) => {
  await delay(200, undefined, { signal: mcpReq.signal });
  return { content: [text('The job failed.')], isError: true };
};

const slowCompute: SuiteTool = async ({ seconds, label }, { mcpReq }) => {
  await delay(Number(seconds ?? 0) * 1_000, undefined, { signal: mcpReq.signal });
  return textResult(`Computed ${String(label)}.`);
};

const confirmDelete: SuiteTool = ({ filename }, { mcpReq }) =>
  mcpReq.inputResponses?.['confirm'] === undefined
    ? inputRequired({ inputRequests: { confirm: askToConfirm('confirm') } })
    : textResult(`Deleted ${String(filename)}.`);

const multiInput: SuiteTool = (_args, { mcpReq }) =>
  mcpReq.inputResponses?.['first'] === undefined || mcpReq.inputResponses['second'] === undefined
    ? inputRequired({
        inputRequests: { first: askText('First?', 'name'), second: askText('Second?', 'name') },
      })
    : textResult('Both were told.');

const greetsLater: SuiteTool = (_args, { mcpReq }) => {
  const told = acceptedContent(mcpReq.inputResponses, 'user_name');
  return told === undefined
    ? inputRequired({ inputRequests: { user_name: askText('What is your name?', 'name') } })
    : textResult(`Hello, ${String(told['name'])}!`);
};

/** A tool that can run as a task. */
export interface TaskTool {
  readonly call: SuiteTool;
  /** Whether it only runs as a task. */
  readonly isTaskOnly?: true;
  /** Whether a request is sent to the client before the task is created. */
  readonly asksFirst?: true;
}

/** Tools that run as tasks for clients that support tasks, by name. */
export const TASK_TOOLS: ReadonlyMap<string, TaskTool> = new Map<string, TaskTool>([
  ['slow_compute', { call: slowCompute }],
  ['failing_job', { call: failingJob, isTaskOnly: true }],
  ['protocol_error_job', { call: () => Promise.reject(new Error('The job broke down.')) }],
  ['confirm_delete', { call: confirmDelete }],
  ['multi_input', { call: multiInput }],
  ['test_tool_with_task', { call: greetsLater, isTaskOnly: true, asksFirst: true }],
]);
