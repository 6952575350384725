import { timestampDate } from '@bufbuild/protobuf/wkt';
import {
  DetachedCallService,
  DetachedCallState,
} from '@fairlead/contracts/tools/v1/detached_call_service_pb';
import type {
  CallOutcome as OutcomeMessage,
  DetachedCall,
} from '@fairlead/contracts/tools/v1/detached_call_service_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import { fromItemError } from '@fairlead/service-kit/rpc/errors';
import { orOutcomeUnknown } from '@fairlead/service-kit/rpc/outcome-unknown';
import type { DetachedCalls, Task, TaskState } from '../ports/detached-calls.ts';
import type { CallOutcome } from '../ports/tool-calls.ts';
import { toMcpClient } from './call-messages.ts';
import { fromExecuteToolResponse, toExecuteToolRequest } from './tool-calls.ts';

/** Detached calls of the tools service. */
export function createDetachedCallsClient(o: RpcClientOptions): DetachedCalls {
  const calls = createRpcClient(DetachedCallService, o);
  return {
    async start(ctx, call, { client, serverId, toolName, waitMs, ttlMs }) {
      const request = {
        call: toExecuteToolRequest(call),
        // A task of a client with a handshake has no way to request input, so its tool must not.
        client: toMcpClient(client.isStateless ? client : { ...client, capabilities: {} }),
        serverId,
        toolName,
        waitMs,
        ...(ttlMs !== undefined && { ttlMs: BigInt(ttlMs) }),
      };
      const { answer } = await orOutcomeUnknown(calls.startCall(ctx, request));
      if (answer.case === 'result')
        return { kind: 'outcome', outcome: fromExecuteToolResponse(answer.value) };
      return { kind: 'task', task: required(answer.value) };
    },
    async get(ctx, { serverId, taskId }, waitMs) {
      const { call } = await calls.getCall(ctx, { serverId, callId: taskId, waitMs });
      return required(call);
    },
    async answer(ctx, { serverId, taskId }, results) {
      await calls.answerCall(ctx, { serverId, callId: taskId, resultsJson: Object.fromEntries(results) });
    },
    async cancel(ctx, { serverId, taskId }) {
      const { call } = await calls.cancelCall(ctx, { serverId, callId: taskId });
      return required(call);
    },
    async list(ctx, { serverId, after = '', limit }) {
      const page = await calls.listCalls(ctx, { serverId, after, limit });
      return { tasks: page.calls.map(taskOf), hasMore: page.hasMore };
    },
  };
}

function required(call: DetachedCall | undefined): Task {
  if (call === undefined) throw new ApiError('INTERNAL', 'An internal error occurred.');
  return taskOf(call);
}

function taskOf(call: DetachedCall): Task {
  const { callId, toolName, createdAt, updatedAt, expiresAt } = call;
  return {
    taskId: callId,
    toolName,
    state: stateOf(call),
    createdAt: createdAt ? timestampDate(createdAt) : new Date(0),
    updatedAt: updatedAt ? timestampDate(updatedAt) : new Date(0),
    expiresAt: expiresAt ? timestampDate(expiresAt) : new Date(0),
  };
}

function stateOf({ state, requests, outcome, isFailed }: DetachedCall): TaskState {
  switch (state) {
    case DetachedCallState.INPUT_REQUIRED:
      return {
        kind: 'inputRequired',
        requests: requests.map(({ key, method, paramsJson }) => ({ key, method, params: paramsJson })),
      };
    case DetachedCallState.ENDED:
      return { kind: 'ended', outcome: outcome && outcomeOf(outcome), isFailed };
    case DetachedCallState.CANCELLED:
      return { kind: 'cancelled' };
    case DetachedCallState.LOST:
      return { kind: 'lost' };
    default:
      return { kind: 'working' };
  }
}

function outcomeOf({ outcome }: OutcomeMessage): CallOutcome | ApiError | undefined {
  switch (outcome.case) {
    case 'result':
      return fromExecuteToolResponse(outcome.value);
    case 'refusal':
      return fromItemError(outcome.value);
    default:
      return undefined;
  }
}
