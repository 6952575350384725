import type { JsonObject } from '@fairlead/connector-model/json';
import type { CallingClient, ClientDescription } from '@fairlead/connector-runtime/mcp/calling-client';
import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { randomBase62 } from '@fairlead/service-kit/ids';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { callingClient } from '../../detached-calls/calling-client.ts';
import type { CallMessage } from '../../domain/call-message.ts';
import { callOfState } from '../../domain/call-round.ts';
import { ClientMessages } from '../../domain/client-messages.ts';
import { CALL_ID_LENGTH, keptMs, MAX_CALL_MS, ownerOf, tooManyCalls } from '../../domain/detached-call.ts';
import type { CallOutcome, DetachedCall } from '../../domain/detached-call.ts';
import type { ClientAnswer, ClientRequests } from '../../ports/client-requests.ts';
import type { DetachedCalls } from '../../ports/detached-calls.ts';
import type { CallChanges, RunningCalls, CallSettlement } from '../../ports/running-calls.ts';
import { answerCall } from './answer-call.ts';
import { getCall } from './get-call.ts';

export interface RunInRoundsDeps {
  readonly clientRequests: ClientRequests;
  readonly detachedCalls: Pick<DetachedCalls, 'insert' | 'find' | 'removeRequests'>;
  readonly runningCalls: RunningCalls;
  readonly callChanges: Pick<CallChanges, 'watch'>;
}

/** The call at the end of a round: it requests input, or has ended. */
export interface CallRound {
  readonly kind: 'round';
  readonly call: DetachedCall;
}

/** Work for a client that gets requests in results. */
interface RoundWork<R> {
  /** The client's calls with this name belong together, as far as the caller can be identified. */
  readonly of: string;
  /** Name of the tool, or of the method. */
  readonly name: string;
  readonly description: ClientDescription;
  readonly run: (ctx: RequestContext, client: CallingClient) => Promise<R>;
  /** Converts the outcome to the form that the client reads later. */
  readonly encode: (settled: CallSettlement<R>) => CallOutcome;
}

/**
 * Like converse, but for a client that gets requests in results. If the work requests input, the round ends with the stored call. The
 * client continues it by its state, in a request with the answers.
 */
export async function* runInRounds<R>(
  deps: RunInRoundsDeps,
  ctx: RequestContext,
  { of, name: toolName, description, run, encode }: RoundWork<R>,
): AsyncGenerator<CallMessage<R> | CallRound> {
  const owner = ownerOf(ctx, of);
  const callId = callOfState(description.requestState);
  if (callId !== undefined) {
    await answerCall(deps, ctx, owner, { callId, answers: answersOf(description.inputResponses) });
    const call = await getCall(deps, ctx, owner, { callId, waitMs: MAX_CALL_MS });
    yield { kind: 'round', call };
    return;
  }
  const name = { ...owner, callId: `call_${randomBase62(CALL_ID_LENGTH)}` };
  const messages = new ClientMessages();
  const running = deps.runningCalls.begin({
    name,
    run(signal, control) {
      const ofCall = { ...ctx, signal, deadline: undefined };
      const notify = (method: string, params: JsonObject): void =>
        messages.add({ kind: 'notification', method, params });
      const client = callingClient(ofCall, description, { ...deps, control, notify });
      return run(ofCall, client);
    },
    encode,
  });
  try {
    const paused = running.pause(MAX_CALL_MS, ctx.signal).finally(() => messages.end());
    // Awaited below, after the messages are read.
    paused.catch(() => undefined);
    yield* messages;
    await paused;
    const settled = running.settled();
    if (settled !== undefined) {
      if ('error' in settled) throw settled.error;
      yield { kind: 'result', result: settled.result };
      return;
    }
    const call = await running.detach((holder, requests) =>
      deps.detachedCalls.insert(ctx, {
        ...name,
        toolName,
        holder,
        requests,
        keptMs: keptMs(undefined),
      }),
    );
    if (call === undefined) throw tooManyCalls();
    yield { kind: 'round', call };
  } finally {
    if (!running.isDetached()) running.abort();
  }
}

/** The client's results, by key of the request. Other values are refused. */
function answersOf(responses: JsonObject = {}): ReadonlyMap<string, ClientAnswer> {
  return new Map(
    Object.entries(responses).map(([key, response]) => {
      if (typeof response !== 'object' || response === null || Array.isArray(response))
        throw new ApiError('VALIDATION_ERROR', `inputResponses.${key}: must be an object`);
      return [key, { result: LazyJson.of(response) }];
    }),
  );
}
