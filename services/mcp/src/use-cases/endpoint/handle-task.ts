import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { objectSlices } from '@fairlead/service-kit/json/json-slices';
import type { LazyValue } from '@fairlead/service-kit/json/lazy-json';
import { RPC_ERRORS, RpcError, textIn } from '../../endpoint/json-rpc.ts';
import type { RpcParams } from '../../endpoint/json-rpc.ts';
import { endedResult, taskSummary, taskResult } from '../../endpoint/task-messages.ts';
import type { McpClient } from '../../domain/mcp-client.ts';
import { declaresTasks, TASKS_EXTENSION } from '../../domain/task.ts';
import type { DetachedCalls, TaskName } from '../../ports/detached-calls.ts';
import type { ActiveServer } from '../../ports/active-servers.ts';

export interface HandleTaskDeps {
  readonly detachedCalls: Pick<DetachedCalls, 'get' | 'answer' | 'cancel' | 'list'>;
}

/** A request about a task, by a method of the client's protocol. */
export interface TaskRequest {
  readonly method: string;
  readonly params: RpcParams;
}

/** Longest time that tasks/result waits for the end of a task. */
const RESULT_WAIT_MS = 300_000;
const PAGE = 50;
const NOTHING = Buffer.from('{}');

/**
 * The result of a request about the caller's tasks at a server. RpcError for a task that the caller does not have, and for a client without
 * a handshake that does not declare support for tasks.
 */
export async function handleTask(
  deps: HandleTaskDeps,
  ctx: RequestContext,
  served: ActiveServer,
  request: TaskRequest,
  client: McpClient,
): Promise<Readonly<Record<string, LazyValue>>> {
  if (client.isStateless && !declaresTasks(client))
    throw new RpcError(RPC_ERRORS.missingCapability, 'Missing required client capability', {
      requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
    });
  try {
    return await resultOf(deps, ctx, served, request, client);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND')
      throw new RpcError(RPC_ERRORS.invalidParams, 'There is no such task, or no longer.');
    throw error;
  }
}

async function resultOf(
  { detachedCalls }: HandleTaskDeps,
  ctx: RequestContext,
  served: ActiveServer,
  { method, params }: TaskRequest,
  client: McpClient,
): Promise<Readonly<Record<string, LazyValue>>> {
  const name = (): TaskName => ({ serverId: served.server.id, taskId: taskIdIn(params) });
  switch (method) {
    case 'tasks/get':
      return taskResult(await detachedCalls.get(ctx, name(), 0), served, client);
    case 'tasks/result':
      return endedResult(await detachedCalls.get(ctx, name(), RESULT_WAIT_MS), served, client);
    case 'tasks/cancel':
      return await cancelTask(detachedCalls, ctx, served, name(), client);
    case 'tasks/update':
      await detachedCalls.answer(ctx, name(), responsesIn(params));
      return {};
    default:
      return await listTasks(detachedCalls, ctx, served, params, client);
  }
}

/** With a handshake, returns the cancelled task; RpcError for a task that has ended, unless it was cancelled. */
async function cancelTask(
  calls: HandleTaskDeps['detachedCalls'],
  ctx: RequestContext,
  served: ActiveServer,
  name: TaskName,
  client: McpClient,
): Promise<Readonly<Record<string, LazyValue>>> {
  const task = await calls.cancel(ctx, name);
  if (client.isStateless) return {};
  if (task.state.kind !== 'cancelled')
    throw new RpcError(RPC_ERRORS.invalidParams, 'The task has ended: it cannot be cancelled.');
  return taskResult(task, served, client);
}

async function listTasks(
  calls: HandleTaskDeps['detachedCalls'],
  ctx: RequestContext,
  { server }: ActiveServer,
  params: RpcParams,
  client: McpClient,
): Promise<Readonly<Record<string, LazyValue>>> {
  if (ctx.caller.kind === 'anonymousClient')
    throw new RpcError(RPC_ERRORS.methodNotFound, 'Clients without a credential have no list of tasks.');
  const after = params.has('cursor') ? (textIn(params, 'cursor') ?? '') : undefined;
  const { tasks, hasMore } = await calls.list(ctx, { serverId: server.id, after, limit: PAGE });
  const last = tasks.at(-1);
  return {
    tasks: tasks.map((task) => taskSummary(task, client)),
    ...(hasMore && last && { nextCursor: last.taskId }),
  };
}

/** The client's results, by key of the request. */
function responsesIn(params: RpcParams): ReadonlyMap<string, Uint8Array> {
  const responses = objectSlices(params.get('inputResponses') ?? NOTHING);
  if (responses === undefined)
    throw new RpcError(RPC_ERRORS.invalidParams, 'params.inputResponses: must be an object');
  return responses;
}

function taskIdIn(params: RpcParams): string {
  const taskId = textIn(params, 'taskId');
  if (taskId === undefined) throw new RpcError(RPC_ERRORS.invalidParams, 'params.taskId: must be a string');
  return taskId;
}
