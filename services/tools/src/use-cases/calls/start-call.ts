import type { ClientDescription } from '@fairlead/connector-runtime/mcp/calling-client';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { randomBase62 } from '@fairlead/service-kit/ids';
import { callingClient } from '../../detached-calls/calling-client.ts';
import { CALL_ID_LENGTH, keptMs, MAX_CALL_MS, ownerOf, tooManyCalls } from '../../domain/detached-call.ts';
import type { CallOutcome, DetachedCall } from '../../domain/detached-call.ts';
import type { ClientRequests } from '../../ports/client-requests.ts';
import type { DetachedCalls } from '../../ports/detached-calls.ts';
import type { RunPorts } from '../../ports/execution-ports.ts';
import type { RunningCalls, CallSettlement } from '../../ports/running-calls.ts';
import { executeCall } from '../executions/execute-call.ts';
import type { CallRequest } from '../executions/execute-call.ts';
import type { ExecutionResult } from '../../domain/execution.ts';

export interface StartCallDeps extends RunPorts {
  readonly detachedCalls: Pick<DetachedCalls, 'insert'>;
  readonly runningCalls: RunningCalls;
  readonly clientRequests: Pick<ClientRequests, 'open'>;
}

/** A call, and how long its caller waits. */
export interface StartedCall {
  readonly call: CallRequest;
  readonly client: ClientDescription;
  readonly serverId: string;
  readonly toolName: string;
  readonly waitMs: number;
  /** How long the call is stored; undefined: the caller did not say. */
  readonly ttlMs: number | undefined;
}

/**
 * Executes a call like executeCall. Returns its result if it ends within `waitMs`. Otherwise, or as soon as it requests input, stores the
 * call, which continues, and returns it. RATE_LIMIT_EXCEEDED if the account cannot store another call: the call is cancelled, as its row
 * says. If the caller disconnects before then, the call is cancelled, too.
 */
export async function startCall(
  deps: StartCallDeps,
  ctx: RequestContext,
  { call, client: description, serverId, toolName, waitMs, ttlMs }: StartedCall,
  encode: (settled: CallSettlement<ExecutionResult>) => CallOutcome,
): Promise<ExecutionResult | DetachedCall> {
  const name = { ...ownerOf(ctx, serverId), callId: `call_${randomBase62(CALL_ID_LENGTH)}` };
  const ports = { ...deps, timeoutMs: Math.max(deps.timeoutMs, MAX_CALL_MS) };
  const running = deps.runningCalls.begin({
    name,
    run(signal, control) {
      const ofCall = { ...ctx, signal, deadline: undefined };
      // A polling client gets no notifications.
      const client = callingClient(ofCall, description, { ...deps, control, notify: () => undefined });
      return executeCall(ports, ofCall, { ...call, client });
    },
    encode,
  });
  try {
    await running.pause(waitMs, ctx.signal);
    const settled = running.settled();
    if (settled !== undefined) {
      if ('error' in settled) throw settled.error;
      return settled.result;
    }
    const stored = await running.detach((holder, requests) =>
      deps.detachedCalls.insert(ctx, { ...name, toolName, holder, requests, keptMs: keptMs(ttlMs) }),
    );
    if (stored === undefined) throw tooManyCalls();
    return stored;
  } catch (error) {
    running.abort();
    throw error;
  }
}
