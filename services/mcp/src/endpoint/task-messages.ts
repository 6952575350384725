import { ApiError } from '@fairlead/errors/api-error';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { LazyValue } from '@fairlead/service-kit/json/lazy-json';
import type { McpClient } from '../domain/mcp-client.ts';
import type { ServiceRequest } from '../ports/client-channel.ts';
import type { Task } from '../ports/detached-calls.ts';
import type { ActiveServer } from '../ports/active-servers.ts';
import { isObject, RPC_ERRORS, RpcError } from './json-rpc.ts';
import { outcomeResult, refusalResult, temporaryError } from './tool-result.ts';

/** Members of a result. */
type Members = Readonly<Record<string, LazyValue>>;

/** The end of a task: the result of its call, or an error. */
type TaskEnd = { readonly result: Members } | { readonly error: RpcError };

type Status = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

const POLL_INTERVAL_MS = 2_000;
/** The `_meta` member that names the task. Source: MCP 2025-11-25, "Tasks". */
const RELATED_TASK_KEY = 'io.modelcontextprotocol/related-task';
const LOST = new ApiError(
  'TIMEOUT',
  'The service that executed the call has stopped. It is unknown whether the call took effect.',
);

/** Task methods for clients with, and without, a handshake. */
const SESSION_METHODS = ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel'];
const STATELESS_METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel'];

/** Whether the client's protocol has this task method. */
export function isTaskMethod(method: string, { isStateless }: McpClient): boolean {
  return (isStateless ? STATELESS_METHODS : SESSION_METHODS).includes(method);
}

/** The result of a call that became a task. */
export function createTaskResult(task: Task, served: ActiveServer, client: McpClient): Members {
  const members = taskMembers(task, endOf(task, served, client), client);
  return client.isStateless ? { resultType: 'task', ...members } : { task: members };
}

/** A task as tasks/get returns it; without a handshake including all details. */
export function taskResult(task: Task, served: ActiveServer, client: McpClient): Members {
  const end = endOf(task, served, client);
  const members = taskMembers(task, end, client);
  if (!client.isStateless) return members;
  const { state } = task;
  if (state.kind === 'inputRequired') return { ...members, inputRequests: inputRequests(state.requests) };
  if (end === undefined || state.kind === 'cancelled') return members;
  return { ...members, ...('result' in end ? { result: end.result } : { error: errorMembers(end.error) }) };
}

export function taskSummary(task: Task, client: McpClient): Members {
  return taskMembers(task, undefined, client);
}

/** The result of an ended task's call. Throws an RpcError if it has none. */
export function endedResult(task: Task, served: ActiveServer, client: McpClient): Members {
  const end = endOf(task, served, client) ?? { error: stillRuns() };
  if ('error' in end) throw end.error;
  const { _meta: meta, ...result } = end.result;
  const own = meta instanceof LazyJson ? meta.parseObject() : isObject(meta) ? meta : {};
  return { ...result, _meta: { ...own, [RELATED_TASK_KEY]: { taskId: task.taskId } } };
}

/** The requests of a call to its client, by key. */
export function inputRequests(requests: readonly ServiceRequest[]): Members {
  return Object.fromEntries(
    requests.map(({ key, method, params }) => [key, { method, params: new LazyJson(params, 'params') }]),
  );
}

function taskMembers(task: Task, end: TaskEnd | undefined, { isStateless }: McpClient): Members {
  const { taskId, createdAt, updatedAt, expiresAt } = task;
  const ttl = expiresAt.getTime() - createdAt.getTime();
  const message = statusMessage(task, end);
  return {
    taskId,
    status: statusOf(task, end, isStateless),
    ...(message !== undefined && { statusMessage: message }),
    createdAt: createdAt.toISOString(),
    lastUpdatedAt: updatedAt.toISOString(),
    ...(isStateless
      ? { ttlMs: ttl, pollIntervalMs: POLL_INTERVAL_MS }
      : { ttl, pollInterval: POLL_INTERVAL_MS }),
  };
}

/**
 * With a handshake, a task whose tool failed has failed, too (MCP 2025-11-25, "Task Execution Errors"). Without one it is completed with
 * that result, and only a JSON-RPC error is a failure (SEP-2663).
 */
function statusOf({ state }: Task, end: TaskEnd | undefined, isStateless: boolean): Status {
  switch (state.kind) {
    case 'working':
      return 'working';
    case 'inputRequired':
      return 'input_required';
    case 'ended':
      if (!isStateless) return state.isFailed ? 'failed' : 'completed';
      return end !== undefined && 'error' in end ? 'failed' : 'completed';
    case 'cancelled':
      return 'cancelled';
    case 'lost':
      return 'failed';
  }
}

function statusMessage({ state }: Task, end: TaskEnd | undefined): string | undefined {
  if (state.kind === 'lost') return LOST.message;
  return end !== undefined && 'error' in end ? end.error.message : undefined;
}

/** Undefined: the task is still running, or its outcome was not loaded. */
function endOf({ state, toolName }: Task, { tools }: ActiveServer, client: McpClient): TaskEnd | undefined {
  switch (state.kind) {
    case 'ended': {
      const { outcome } = state;
      if (outcome === undefined) return undefined;
      try {
        const isUpstream = tools.get(toolName)?.isUpstream ?? false;
        const result =
          outcome instanceof ApiError ? refusalResult(outcome) : outcomeResult(outcome, isUpstream, client);
        return { result };
      } catch (error) {
        if (error instanceof RpcError) return { error };
        if (error instanceof ApiError) return { error: temporaryError(error) };
        throw error;
      }
    }
    case 'cancelled':
      return { error: new RpcError(RPC_ERRORS.internalError, 'The task was cancelled.') };
    case 'lost':
      return { error: temporaryError(LOST) };
    default:
      return undefined;
  }
}

function stillRuns(): RpcError {
  const error = new ApiError('UNAVAILABLE', 'The task has not ended yet. Ask for its result again.');
  return temporaryError(error);
}

function errorMembers({ code, message, data }: RpcError): Members {
  return { code, message, ...(data !== undefined && { data }) };
}
