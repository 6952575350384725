import type { JsonValue } from '@bufbuild/protobuf';
import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { objectSlices } from '@fairlead/service-kit/json/json-slices';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { RPC_ERRORS, RpcError, textIn } from '../../endpoint/json-rpc.ts';
import type { RpcParams } from '../../endpoint/json-rpc.ts';
import { createTaskResult } from '../../endpoint/task-messages.ts';
import { failureResult, outcomeResult, refusalResult } from '../../endpoint/tool-result.ts';
import type { UpstreamResult, ToolResult } from '../../endpoint/tool-result.ts';
import { taskMode } from '../../domain/task.ts';
import type { CallTarget } from '../../domain/server-tool.ts';
import type { ClientChannel } from '../../ports/client-channel.ts';
import type { DetachedCalls } from '../../ports/detached-calls.ts';
import type { ActiveServer } from '../../ports/active-servers.ts';
import type { ToolCall, ToolCalls } from '../../ports/tool-calls.ts';
import { confirmCall } from './confirm-call.ts';
import { describeServerTool } from './describe-server-tool.ts';
import { findConnectionNeed } from './find-connection-need.ts';
import type { FindConnectionNeedDeps } from './find-connection-need.ts';
import { offerConnection } from './offer-connection.ts';
import { readNamedCall } from './read-named-call.ts';
import type { NamedCall } from './read-named-call.ts';
import { searchTools } from './search-tools.ts';
import type { SearchToolsDeps } from './search-tools.ts';

export interface CallServedToolDeps extends SearchToolsDeps, FindConnectionNeedDeps {
  readonly toolCalls: Pick<ToolCalls, 'execute'>;
  readonly detachedCalls: Pick<DetachedCalls, 'start'>;
}

const HELD = new ApiError(
  'FORBIDDEN',
  'The tool was not executed: it has changed at the MCP server that it comes from, and an administrator has not yet accepted the change.',
);

/**
 * The result of tools/call, or a task for a client that supports tasks. A refused or failed call also has a result, so that the model can
 * read why. RpcError for an unknown tool, malformed parameters, and errors independent of the call.
 */
export async function callServerTool(
  deps: CallServedToolDeps,
  ctx: RequestContext,
  served: ActiveServer,
  params: RpcParams,
  channel: ClientChannel,
): Promise<ToolResult | UpstreamResult> {
  const { tools, browsing } = served;
  const name = textIn(params, 'name');
  if (name === undefined) throw new RpcError(RPC_ERRORS.invalidParams, 'params.name: must be a string');
  const purpose = browsing?.purposeOf(name);
  const tool = tools.get(name);
  if (purpose === undefined && tool === undefined)
    throw new RpcError(RPC_ERRORS.invalidParams, `Unknown tool: ${shortened(name)}`);
  const fields = fieldsIn(params);
  try {
    if (purpose === 'search') return await searchTools(deps, tools, fields);
    if (purpose === 'describe') return await describeServerTool(deps, tools, fields);
    const call = tool === undefined ? await readNamedCall(deps, tools, fields) : { tool, fields };
    return await callTool(deps, ctx, served, call, channel, valueIn(params, 'task'));
  } catch (error) {
    if (error instanceof ApiError) return refusalResult(error);
    throw error;
  }
}

async function callTool(
  deps: CallServedToolDeps,
  ctx: RequestContext,
  served: ActiveServer,
  named: NamedCall,
  channel: ClientChannel,
  requestedTask: JsonValue | undefined,
): Promise<ToolResult | UpstreamResult> {
  const { tool, fields } = named;
  const { server, toolsetId } = served;
  const { name, target, schemaProfile, isUpstream } = tool;
  if (tool.isHeld) throw HELD;
  const endUserId = endUserOf(ctx, target);
  await confirmCall(ctx, server, named, channel);
  const call = { target, fields, schemaProfile, toolsetId, endUserId, mcpServerName: server.name };
  const mode = taskMode(channel.client, requestedTask);
  const task = mode && { client: channel.client, serverId: server.id, toolName: name, ...mode };
  const started = await begin(deps, ctx, call, channel, task).catch((error: unknown) => {
    if (error instanceof ApiError) return { kind: 'refused', error } as const;
    throw error;
  });
  if (started.kind === 'task') return createTaskResult(started.task, served, channel.client);
  const need = await findConnectionNeed(deps, ctx, call, started);
  if (need !== undefined)
    return 'advice' in need ? failureResult(need.advice) : await offerConnection(ctx, need, channel);
  if (started.kind === 'refused') throw started.error;
  return outcomeResult(started.outcome, isUpstream, channel.client);
}

/** Runs a call to its end, or as a task. */
async function begin(
  { toolCalls, detachedCalls }: CallServedToolDeps,
  ctx: RequestContext,
  call: ToolCall,
  channel: ClientChannel,
  task: Parameters<DetachedCalls['start']>[2] | undefined,
): ReturnType<DetachedCalls['start']> {
  return task === undefined
    ? { kind: 'outcome', outcome: await toolCalls.execute(ctx, call, channel) }
    : await detachedCalls.start(ctx, call, task);
}

/** The arguments as sent; empty if absent. */
function fieldsIn(params: RpcParams): Readonly<Record<string, Uint8Array>> {
  const bytes = params.get('arguments');
  if (bytes === undefined) return {};
  const members = objectSlices(bytes);
  if (members === undefined)
    throw new RpcError(RPC_ERRORS.invalidParams, 'params.arguments: must be an object');
  return Object.fromEntries(members);
}

/** The end user whose connections are the calling user's own; undefined if the target names its connection. */
function endUserOf({ caller }: RequestContext, target: CallTarget): string | undefined {
  if (target.kind === 'workflow' || target.connectionId !== undefined) return undefined;
  if (caller.kind === 'user') return `user:${caller.userId}`;
  throw new ApiError(
    'FORBIDDEN',
    'Each user calls this tool with a connection of their own. It was not executed: the client is not authenticated.',
  );
}

function valueIn(params: RpcParams, name: string): JsonValue | undefined {
  const bytes = params.get(name);
  return bytes === undefined ? undefined : new LazyJson(bytes, `params.${name}`).parse();
}

const MAX_NAMED = 100;

function shortened(name: string): string {
  return name.length > MAX_NAMED ? `${name.slice(0, MAX_NAMED)}…` : name;
}
