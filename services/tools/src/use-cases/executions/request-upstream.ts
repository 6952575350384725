import { isUtf8 } from 'node:buffer';
import type { CallingClient } from '@fairlead/connector-runtime/mcp/calling-client';
import { mcpRequestTool } from '@fairlead/connector-runtime/mcp/mcp-request';
import type { McpRequest } from '@fairlead/connector-runtime/mcp/mcp-request';
import { validationError } from '@fairlead/errors/api-error';
import { actingAccountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { isJson } from '@fairlead/service-kit/json/is-json';
import { objectSlices } from '@fairlead/service-kit/json/json-slices';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { answerTime, endOfCall, maskMs } from '../../domain/call-time.ts';
import { NOT_MASKED } from '../../domain/execution.ts';
import { createMasker } from '@fairlead/connector-runtime/value-masking';
import type { OutputMasker } from '../../ports/output-masker.ts';
import { callUnrecorded } from './call-unrecorded.ts';
import type { CallUnrecordedDeps, UnrecordedCall } from './call-unrecorded.ts';
import { maskClientMessages } from './mask-client-messages.ts';

export interface RequestUpstreamDeps extends CallUnrecordedDeps {
  readonly outputMasker: Pick<OutputMasker, 'mask'>;
  /** Longest duration of one request, including the wait for a permit. */
  readonly timeoutMs: number;
}

/** The output of a request (see McpRequest), or the reason why there is none; masked. */
export type UpstreamOutcome =
  | { readonly isSuccess: true; readonly output: LazyJson }
  | { readonly isSuccess: false; readonly errorMessage: string; readonly isUnauthorized: boolean };

/**
 * Sends a request to a connection's MCP server, which may send requests to `client` meanwhile. Records no execution, but has the limits of
 * one. Throws NOT_FOUND, VALIDATION_ERROR for a connection of another kind, CONNECTION_BLOCKED and RATE_LIMIT_EXCEEDED, with nothing sent.
 */
export async function requestUpstream(
  deps: RequestUpstreamDeps,
  ctx: RequestContext,
  connectionId: number,
  request: McpRequest,
  client?: CallingClient,
): Promise<UpstreamOutcome> {
  const now = Date.now();
  const until = endOfCall(ctx.deadline, deps.timeoutMs, now);
  const connection = await deps.connections.getConnection(ctx, connectionId, undefined);
  const { kind } = await deps.catalog.getConnector(ctx, connection.applicationSlug);
  if (kind !== 'MCPClient')
    throw validationError({ field: 'connectionId', issue: 'is no connection to an MCP server' });
  // Counted for the memory used during the wait.
  const fields = request.type === 'method' ? { params: request.params } : {};
  const clientFor =
    client &&
    ((secrets: readonly string[]) =>
      maskClientMessages(deps, ctx, client, { masker: createMasker(secrets), until }));
  const answerMs = client && answerTime(ctx.deadline, deps.timeoutMs, now);
  const call = { connection, tool: mcpRequestTool(request), fields, clientFor, answerMs };
  return await maskOutcome(deps, ctx, await callUnrecorded(deps, ctx, call, until), until);
}

async function maskOutcome(
  deps: RequestUpstreamDeps,
  ctx: RequestContext,
  { outcome, secrets }: UnrecordedCall,
  until: number,
): Promise<UpstreamOutcome> {
  if (!outcome.isSuccess) {
    const { errorMessage, isUnauthorized = false } = outcome;
    return { isSuccess: false, errorMessage, isUnauthorized };
  }
  const { unbuilt } = outcome;
  const value = unbuilt === undefined ? outcome.output : membersOf(unbuilt.bytes);
  if (value === undefined)
    return { isSuccess: false, errorMessage: 'The answer could not be read.', isUnauthorized: false };
  if (secrets.every((secret) => secret === ''))
    return {
      isSuccess: true,
      output: unbuilt === undefined ? LazyJson.of(value) : new LazyJson(unbuilt.bytes),
    };
  const views = await deps.outputMasker.mask(value, createMasker(secrets), {
    accountId: actingAccountOf(ctx),
    signal: ctx.signal,
    timeoutMs: maskMs(until, Date.now()),
  });
  if (views === undefined) return { ...NOT_MASKED, isUnauthorized: false };
  return { isSuccess: true, output: views.json ?? LazyJson.of(views.value) };
}

/** The members of a worker's output; undefined if it is not a JSON object, because the worker may be compromised. */
function membersOf(bytes: Uint8Array): { readonly [name: string]: LazyJson } | undefined {
  const members = isUtf8(bytes) && isJson(bytes) ? objectSlices(bytes) : undefined;
  return members && Object.fromEntries([...members].map(([name, json]) => [name, new LazyJson(json, name)]));
}
