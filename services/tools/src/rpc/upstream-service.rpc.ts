import type { ServiceImpl } from '@connectrpc/connect';
import type { UpstreamService } from '@fairlead/contracts/tools/v1/upstream_service_pb';
import { validationError } from '@fairlead/errors/api-error';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { requestInRounds } from '../use-cases/calls/request-in-rounds.ts';
import type { RequestInRoundsDeps } from '../use-cases/calls/request-in-rounds.ts';
import { converse } from '../use-cases/executions/converse.ts';
import type { ConverseDeps } from '../use-cases/executions/converse.ts';
import { listenToUpstream } from '../use-cases/executions/listen-to-upstream.ts';
import type { ListenToUpstreamDeps } from '../use-cases/executions/listen-to-upstream.ts';
import { requestUpstream } from '../use-cases/executions/request-upstream.ts';
import { fromMcpClient, toCallMessage } from './convert-client.ts';
import { encodeMethodOutcome, toMethodRound } from './convert-detached-call.ts';
import { fromCallMethodRequest, toCallMethodResponse, toReadListsResponse } from './convert-upstream.ts';

/** UpstreamService of proto/fairlead/tools/v1 over the use case. */
export function createUpstreamService(
  deps: RequestInRoundsDeps & ListenToUpstreamDeps & ConverseDeps,
): ServiceImpl<typeof UpstreamService> {
  return {
    async readLists({ connectionId }, h) {
      const outcome = await requestUpstream(deps, requestContext(h), connectionId, { type: 'lists' });
      return toReadListsResponse(outcome);
    },
    async *listen({ connectionId, uris }, h) {
      for await (const change of listenToUpstream(deps, requestContext(h), connectionId, uris))
        yield { updatedUris: [...change.uris], haveListsChanged: change.haveListsChanged };
    },
    async *callMethodInteractively({ call, client }, h) {
      if (call === undefined) throw validationError({ field: 'call', issue: 'is required' });
      const [ctx, sent, description] = [
        requestContext(h),
        fromCallMethodRequest(call),
        fromMcpClient(client),
      ];
      const messages = description.takesInputRequired
        ? requestInRounds(deps, ctx, call.connectionId, sent, description, encodeMethodOutcome)
        : converse(deps, ctx, description, (calling) =>
            requestUpstream(deps, ctx, call.connectionId, sent, calling),
          );
      for await (const message of messages)
        yield message.kind === 'round'
          ? { message: { case: 'result', value: toMethodRound(message.call) } }
          : toCallMessage(message, toCallMethodResponse);
    },
    async callMethod(request, h) {
      const { connectionId } = request;
      const sent = fromCallMethodRequest(request);
      return toCallMethodResponse(await requestUpstream(deps, requestContext(h), connectionId, sent));
    },
  };
}
