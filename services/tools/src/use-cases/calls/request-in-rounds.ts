import type { ClientDescription } from '@fairlead/connector-runtime/mcp/calling-client';
import type { McpRequest } from '@fairlead/connector-runtime/mcp/mcp-request';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CallMessage } from '../../domain/call-message.ts';
import { MAX_CALL_MS } from '../../domain/detached-call.ts';
import type { CallOutcome } from '../../domain/detached-call.ts';
import type { CallSettlement } from '../../ports/running-calls.ts';
import { requestUpstream } from '../executions/request-upstream.ts';
import type { RequestUpstreamDeps, UpstreamOutcome } from '../executions/request-upstream.ts';
import { runInRounds } from './run-in-rounds.ts';
import type { CallRound, RunInRoundsDeps } from './run-in-rounds.ts';

export interface RequestInRoundsDeps extends RequestUpstreamDeps, RunInRoundsDeps {}

/** Grouped by client, not by server: the client may continue at another server than the one it tried first. */
const UPSTREAMS = 'mcp upstreams';

/** Like requestUpstream, but for a client that gets requests in results (runInRounds). */
export function requestInRounds(
  deps: RequestInRoundsDeps,
  ctx: RequestContext,
  connectionId: number,
  request: Extract<McpRequest, { readonly type: 'method' }>,
  description: ClientDescription,
  encode: (settled: CallSettlement<UpstreamOutcome>) => CallOutcome,
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
