import type { ServiceImpl } from '@connectrpc/connect';
import type { TriggerCallService } from '@fairlead/contracts/tools/v1/trigger_call_service_pb';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { callForTrigger } from '../use-cases/executions/call-for-trigger.ts';
import type { CallForTriggerDeps } from '../use-cases/executions/call-for-trigger.ts';
import {
  findExecution,
  fromTriggerCall,
  pollExecution,
  registerExecution,
  removeExecution,
  seedExecution,
  toFindWebhooksResponse,
  toReadPollResponse,
  toRegisterWebhookResponse,
  toRemoveWebhookResponse,
  toSeedPollResponse,
} from './convert-trigger-call.ts';

/** TriggerCallService of proto/fairlead/tools/v1 over the use case. */
export function createTriggerCallService(
  deps: CallForTriggerDeps & Parameters<typeof seedExecution>[0],
): ServiceImpl<typeof TriggerCallService> {
  return {
    async seedPoll({ call }, h) {
      const what = seedExecution(deps);
      return toSeedPollResponse(await callForTrigger(deps, requestContext(h), fromTriggerCall(call), what));
    },
    async readPoll({ call, cursor }, h) {
      const what = pollExecution(deps, cursor);
      return toReadPollResponse(await callForTrigger(deps, requestContext(h), fromTriggerCall(call), what));
    },
    async registerWebhook(request, h) {
      const [call, what] = [fromTriggerCall(request.call), registerExecution(request)];
      const secrets = [request.url, request.secret];
      return toRegisterWebhookResponse(await callForTrigger(deps, requestContext(h), call, what, secrets));
    },
    async findWebhooks(request, h) {
      const [call, what] = [fromTriggerCall(request.call), findExecution(request)];
      return toFindWebhooksResponse(await callForTrigger(deps, requestContext(h), call, what, [request.url]));
    },
    async removeWebhook(request, h) {
      const [call, what] = [fromTriggerCall(request.call), removeExecution(request)];
      return toRemoveWebhookResponse(await callForTrigger(deps, requestContext(h), call, what));
    },
  };
}
