import type { ServiceImpl } from '@connectrpc/connect';
import type { EndpointService } from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import { requirePlatform } from '@fairlead/service-kit/context/context';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import type { ServerStore } from '../ports/server-store.ts';
import { followLists } from '../use-cases/endpoint/follow-lists.ts';
import type { FollowListsDeps } from '../use-cases/endpoint/follow-lists.ts';
import { handleInteractively } from '../use-cases/endpoint/handle-interactively.ts';
import { handleMessage } from '../use-cases/endpoint/handle-message.ts';
import type { HandleMessageDeps } from '../use-cases/endpoint/handle-message.ts';
import {
  fromHandleMessageInteractivelyRequest,
  fromHandleMessageRequest,
  toHandleMessageResponse,
} from './convert-message.ts';

export interface EndpointServiceDeps extends HandleMessageDeps, FollowListsDeps {
  readonly followedLists: FollowListsDeps['followedLists'] & HandleMessageDeps['followedLists'];
  readonly servers: Pick<ServerStore, 'locate'>;
}

/** EndpointService of proto/fairlead/mcp/v1. Only the platform itself may look up servers of any account. */
export function createEndpointService({
  servers,
  ...deps
}: EndpointServiceDeps): ServiceImpl<typeof EndpointService> {
  return {
    async findServer({ server }, h) {
      const ctx = requestContext(h);
      requirePlatform(ctx);
      if (server.case === undefined) return {};
      const by = server.case === 'tokenHash' ? { tokenHash: server.value } : { serverId: server.value };
      return (await servers.locate(ctx, by)) ?? {};
    },
    async followLists({ serverIds }, h) {
      await followLists(deps, requestContext(h), serverIds);
      return {};
    },
    async handleMessage(request, h) {
      const answer = await handleMessage(deps, requestContext(h), fromHandleMessageRequest(request));
      return toHandleMessageResponse(answer, request.keptPartDigest);
    },
    async *handleMessageInteractively(request, h) {
      const posted = fromHandleMessageInteractivelyRequest(request);
      for await (const message of handleInteractively(deps, requestContext(h), posted)) {
        yield message.kind === 'message'
          ? { message: { case: 'clientMessage', value: message.json } }
          : { message: { case: 'response', value: toHandleMessageResponse(message.answer) } };
      }
    },
  };
}
