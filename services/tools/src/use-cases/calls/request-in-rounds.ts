import type { ClientDescription } from '@fairlead/connector-runtime/mcp/calling-client';
import type { McpRequest } from '@fairlead/connector-runtime/mcp/mcp-request';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CallMessage } from '../../domain/call-message.ts';
import { MAX_CALL_MS } from '../../domain/detached-call.ts';
import type { CallOutcome } from '../../domain/detached-call.ts';
import type { Settled } from '../../ports/running-calls.ts';
import { requestUpstream } from '../executions/request-upstream.ts';
import type { RequestUpstreamDeps, UpstreamOutcome } from '../executions/request-upstream.ts';
import { runInRounds } from './run-in-rounds.ts';
import type { CallRound, RunInRoundsDeps } from './run-in-rounds.ts';

export interface RequestInRoundsDeps extends RequestUpstreamDeps, RunInRoundsDeps {}

/** A client may be asked by another server than the first that it tries: its requests belong together. */
const UPSTREAMS = 'mcp upstreams';

/** Sends a request as requestUpstream does, for a client that is asked in results (runInRounds). */
export function requestInRounds(
  deps: RequestInRoundsDeps,
  ctx: RequestContext,
  connectionId: number,
  request: Extract<McpRequest, { readonly type: 'method' }>,
  description: ClientDescription,
  encode: (settled: Settled<UpstreamOutcome>) => CallOutcome,
): AsyncGenerator<CallMessage<UpstreamOutcome> | CallRound> {
  const longer = { ...deps, timeoutMs: Math.max(deps.timeoutMs, MAX_CALL_MS) };
  return runInRounds(deps, ctx, {
    of: UPSTREAMS,
    name: request.method,
    description,
    run: (ofCall, client) => requestUpstream(longer, ofCall, connectionId, request, client),
    encode,
  });
}
