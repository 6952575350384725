import type { ServiceImpl } from '@connectrpc/connect';
import type { DetachedCallService } from '@fairlead/contracts/tools/v1/detached_call_service_pb';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { ownerOf } from '../domain/detached-call.ts';
import { answerCall } from '../use-cases/calls/answer-call.ts';
import type { AnswerCallDeps } from '../use-cases/calls/answer-call.ts';
import { cancelCall } from '../use-cases/calls/cancel-call.ts';
import type { CancelCallDeps } from '../use-cases/calls/cancel-call.ts';
import { getCall } from '../use-cases/calls/get-call.ts';
import type { GetCallDeps } from '../use-cases/calls/get-call.ts';
import { listCalls } from '../use-cases/calls/list-calls.ts';
import type { ListCallsDeps } from '../use-cases/calls/list-calls.ts';
import { startCall } from '../use-cases/calls/start-call.ts';
import type { StartCallDeps } from '../use-cases/calls/start-call.ts';
import {
  encodeOutcome,
  fromResults,
  fromStartCallRequest,
  toDetachedCall,
  toListedCall,
} from './convert-detached-call.ts';
import { toExecuteToolResponse } from './convert-tool-call.ts';

/** DetachedCallService of proto/fairlead/tools/v1 over the use cases. */
export function createDetachedCallService(
  deps: StartCallDeps & AnswerCallDeps & GetCallDeps & CancelCallDeps & ListCallsDeps,
): ServiceImpl<typeof DetachedCallService> {
  return {
    async startCall(request, h) {
      const started = await startCall(deps, requestContext(h), fromStartCallRequest(request), encodeOutcome);
      return 'callId' in started
        ? { answer: { case: 'call', value: toDetachedCall(started) } }
        : { answer: { case: 'result', value: toExecuteToolResponse(started) } };
    },
    async getCall(request, h) {
      const ctx = requestContext(h);
      return { call: toDetachedCall(await getCall(deps, ctx, ownerOf(ctx, request.serverId), request)) };
    },
    async answerCall({ serverId, callId, resultsJson }, h) {
      const ctx = requestContext(h);
      const answers = fromResults(resultsJson);
      await answerCall(deps, ctx, ownerOf(ctx, serverId), { callId, answers });
      return {};
    },
    async cancelCall(request, h) {
      return { call: toDetachedCall(await cancelCall(deps, requestContext(h), request)) };
    },
    async listCalls(request, h) {
      const { calls, hasMore } = await listCalls(deps, requestContext(h), request);
      return { calls: calls.map(toListedCall), hasMore };
    },
  };
}
