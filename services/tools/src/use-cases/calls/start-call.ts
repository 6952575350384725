import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { randomBase62 } from '@fairlead/service-kit/ids';
import { keptMs, MAX_CALL_MS, MAX_OPEN_CALLS, ownerOf } from '../../domain/detached-call.ts';
import type { DetachedCall } from '../../domain/detached-call.ts';
import type { DetachedCalls } from '../../ports/detached-calls.ts';
import type { RunPorts } from '../../ports/execution-ports.ts';
import type { RunningCalls, Settled } from '../../ports/running-calls.ts';
import { executeCall } from '../executions/execute-call.ts';
import type { CallRequest } from '../executions/execute-call.ts';
import type { ExecutionResult } from '../../domain/execution.ts';

export interface StartCallDeps extends RunPorts {
  readonly detachedCalls: Pick<DetachedCalls, 'insert'>;
  readonly runningCalls: RunningCalls;
}

/** A call, and how long its caller waits for it. */
export interface StartedCall {
  readonly call: CallRequest;
  readonly serverId: string;
  readonly toolName: string;
  readonly waitMs: number;
  /** How long the call is kept; undefined: its caller did not say. */
  readonly ttlMs: number | undefined;
}

const ID_LENGTH = 32;
const RETRY_AFTER_SECONDS = 60;

/**
 * Executes a call as executeCall does. If it ends within `waitMs`, its result; otherwise the call that was stored, and goes on. RATE_LIMIT_EXCEEDED
 * if the account has no room for it: the call is then cancelled, which its row says. If the caller disconnects before, the call is cancelled, too.
 */
export async function startCall(
  deps: StartCallDeps,
  ctx: RequestContext,
  { call, serverId, toolName, waitMs, ttlMs }: StartedCall,
  encode: (settled: Settled<ExecutionResult>) => Uint8Array,
): Promise<ExecutionResult | DetachedCall> {
  const name = { ...ownerOf(ctx, serverId), callId: `call_${randomBase62(ID_LENGTH)}` };
  const ports = { ...deps, timeoutMs: Math.max(deps.timeoutMs, MAX_CALL_MS) };
  const running = deps.runningCalls.begin({
    name,
    run: (signal) => executeCall(ports, { ...ctx, signal, deadline: undefined }, call),
    encode,
  });
  try {
    await running.pause(waitMs, ctx.signal);
    const { settled } = running;
    if (settled !== undefined) {
      if ('error' in settled) throw settled.error;
      return settled.result;
    }
    const stored = await running.detach((holder, requests) =>
      deps.detachedCalls.insert(ctx, { ...name, toolName, holder, requests, keptMs: keptMs(ttlMs) }),
    );
    if (stored === undefined)
      throw new ApiError(
        'RATE_LIMIT_EXCEEDED',
        `The account has too many open calls, at most ${MAX_OPEN_CALLS}, or too many results that are kept. The call was cancelled.`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    return stored;
  } catch (error) {
    running.abort();
    throw error;
  }
}
