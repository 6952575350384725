import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { CallOutcomeSchema, DetachedCallState } from '@fairlead/contracts/tools/v1/detached_call_service_pb';
import type {
  CallOutcome as OutcomeMessage,
  DetachedCallSchema,
  StartCallRequest,
} from '@fairlead/contracts/tools/v1/detached_call_service_pb';
import type { ExecuteToolResponseSchema } from '@fairlead/contracts/tools/v1/execution_service_pb';
import { CallMethodResponseSchema } from '@fairlead/contracts/tools/v1/upstream_service_pb';
import type { CallMethodResponse } from '@fairlead/contracts/tools/v1/upstream_service_pb';
import { ApiError, validationError } from '@fairlead/errors/api-error';
import { jsonBytes, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { fromItemError, toItemError } from '@fairlead/service-kit/rpc/errors';
import { stateOfCall } from '../domain/call-round.ts';
import type { CallEnd, CallOutcome, DetachedCall, DetachedCallView } from '../domain/detached-call.ts';
import type { ExecutionResult } from '../domain/execution.ts';
import type { ClientAnswer } from '../ports/client-requests.ts';
import type { CallSettlement } from '../ports/running-calls.ts';
import type { StartedCall } from '../use-cases/calls/start-call.ts';
import type { UpstreamOutcome } from '../use-cases/executions/request-upstream.ts';
import { fromMcpClient } from './convert-client.ts';
import { fromExecuteToolRequest, toExecuteToolResponse } from './convert-tool-call.ts';
import { toCallMethodResponse } from './convert-upstream.ts';

/** The call to start. VALIDATION_ERROR if the message has none. */
export function fromStartCallRequest(message: StartCallRequest): StartedCall {
  const { call, client, serverId, toolName, waitMs, ttlMs } = message;
  if (call === undefined) throw validationError({ field: 'call', issue: 'is required' });
  return {
    call: fromExecuteToolRequest(call),
    client: fromMcpClient(client),
    serverId,
    toolName,
    waitMs,
    ttlMs: ttlMs === 0n ? undefined : Number(ttlMs),
  };
}

/** Encodes the outcome of a call for storage. */
export function encodeOutcome(settled: CallSettlement<ExecutionResult>): CallOutcome {
  if ('error' in settled) return encodeRefusal(settled.error);
  const value = toExecuteToolResponse(settled.result);
  return { outcome: encode({ case: 'result', value }), isFailed: !settled.result.outcome.isSuccess };
}

/** Encodes the outcome of a request other than a tool call. */
export function encodeMethodOutcome(settled: CallSettlement<UpstreamOutcome>): CallOutcome {
  if ('error' in settled) return encodeRefusal(settled.error);
  const value = toCallMethodResponse(settled.result);
  return { outcome: encode({ case: 'methodResponse', value }), isFailed: !settled.result.isSuccess };
}

function encodeRefusal(error: unknown): CallOutcome {
  return { outcome: encode({ case: 'refusal', value: toItemError(error) }), isFailed: true };
}

function encode(
  outcome: Exclude<MessageInitShape<typeof CallOutcomeSchema>['outcome'], undefined>,
): Uint8Array {
  return toBinary(CallOutcomeSchema, create(CallOutcomeSchema, { outcome }));
}

/** Encodes a call with its outcome. */
export function toDetachedCall(call: DetachedCall): MessageInitShape<typeof DetachedCallSchema> {
  const { end, ...rest } = call;
  const isFailed = end?.kind === 'outcome' && end.isFailed;
  const listItem = toListedCall({ ...rest, end: end?.kind, isFailed });
  if (end?.kind !== 'outcome') return listItem;
  return { ...listItem, outcome: fromBinary(CallOutcomeSchema, end.outcome) };
}

/** Encodes a call for a list. */
export function toListedCall(call: DetachedCallView): MessageInitShape<typeof DetachedCallSchema> {
  const { callId, toolName, requests, isFailed, createdAt, updatedAt, expiresAt } = call;
  return {
    callId,
    toolName,
    state: stateOf(call),
    isFailed,
    requests: requests.map(({ key, method, params }) => ({ key, method, paramsJson: Buffer.from(params) })),
    createdAt: timestampFromDate(createdAt),
    updatedAt: timestampFromDate(updatedAt),
    expiresAt: timestampFromDate(expiresAt),
  };
}

const END_STATES: Readonly<Record<CallEnd['kind'], DetachedCallState>> = {
  outcome: DetachedCallState.ENDED,
  cancelled: DetachedCallState.CANCELLED,
  lost: DetachedCallState.LOST,
};

function stateOf({ end, requests }: DetachedCallView): DetachedCallState {
  if (end !== undefined) return END_STATES[end];
  return requests.length > 0 ? DetachedCallState.INPUT_REQUIRED : DetachedCallState.WORKING;
}

/** The client's results, by key of the request. VALIDATION_ERROR for JSON that is not an object. */
export function fromResults(
  results: Readonly<Record<string, Uint8Array>>,
): ReadonlyMap<string, ClientAnswer> {
  return new Map(
    Object.entries(results).map(([key, json]) => [key, { result: LazyJson.object(json, `results.${key}`) }]),
  );
}

/**
 * The result of a tool call at the end of a round: its own, or one that requests input. Throws the call's refusal, and TIMEOUT if the
 * outcome is unknown.
 */
export function toRoundResult(call: DetachedCall): MessageInitShape<typeof ExecuteToolResponseSchema> {
  const demand = demandOf(call);
  if (demand !== undefined) return { isSuccess: true, isMcpResult: true, outputJson: demand };
  const outcome = outcomeOf(call);
  if (outcome?.case === 'result') return outcome.value;
  throw unknownOutcome();
}

/** The result of another request at the end of a round. */
export function toMethodRound(call: DetachedCall): CallMethodResponse {
  const demand = demandOf(call);
  if (demand !== undefined)
    return create(CallMethodResponseSchema, { outcome: { case: 'resultJson', value: demand } });
  const outcome = outcomeOf(call);
  if (outcome?.case === 'methodResponse') return outcome.value;
  throw unknownOutcome();
}

/** A result that requests input from the client; undefined: the call has ended. */
function demandOf({ callId, end, requests }: DetachedCall): Uint8Array | undefined {
  if (end !== undefined) return undefined;
  const inputRequests = Object.fromEntries(
    requests.map(({ key, method, params }) => [
      key,
      { method, params: LazyJson.object(Buffer.from(params)) },
    ]),
  );
  return jsonBytes({ resultType: 'input_required', inputRequests, requestState: stateOfCall(callId) });
}

/** Undefined: unknown. Throws the refusal of the call. */
function outcomeOf({ end }: DetachedCall): OutcomeMessage['outcome'] | undefined {
  if (end?.kind !== 'outcome') return undefined;
  const { outcome } = fromBinary(CallOutcomeSchema, end.outcome);
  if (outcome.case === 'refusal') throw fromItemError(outcome.value);
  return outcome;
}

function unknownOutcome(): ApiError {
  return new ApiError(
    'TIMEOUT',
    'The call has ended without an outcome. It is unknown whether it took effect.',
  );
}
