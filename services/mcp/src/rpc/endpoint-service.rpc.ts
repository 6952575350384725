import type { ServiceImpl } from '@connectrpc/connect';
import type { EndpointService } from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import { validationError } from '@fairlead/errors/api-error';
import { requirePlatform } from '@fairlead/service-kit/context/context';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import type { ServerStore } from '../ports/server-store.ts';
import { handleMessage } from '../use-cases/endpoint/handle-message.ts';
import type { HandleMessageDeps } from '../use-cases/endpoint/handle-message.ts';
import { fromHandleMessageRequest } from './convert-message.ts';

export interface EndpointServiceDeps extends HandleMessageDeps {
  readonly servers: Pick<ServerStore, 'locate'>;
}

/** EndpointService of proto/fairlead/mcp/v1. Only the platform itself may find servers of any account. */
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
    async handleMessage(request, h) {
      const { status, body } = await handleMessage(
        deps,
        requestContext(h),
        fromHandleMessageRequest(request),
      );
      return { httpStatus: status, ...(body !== undefined && { body }) };
    },
    async *handleMessageInteractively({ message: request }, h) {
      if (request === undefined) throw validationError({ field: 'message', issue: 'is required' });
      const { status, body } = await handleMessage(
        deps,
        requestContext(h),
        fromHandleMessageRequest(request),
      );
      const value = { httpStatus: status, ...(body !== undefined && { body }) };
      yield { message: { case: 'response', value } };
    },
  };
}
