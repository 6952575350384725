import type { HandleMessageRequest } from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import type { PostedMessage } from '../use-cases/endpoint/handle-message.ts';

/** The posted body that a message holds; an empty header was not sent. */
export function fromHandleMessageRequest(message: HandleMessageRequest): PostedMessage {
  const { serverId, body, protocolVersion, methodHeader, nameHeader, paramHeaders } = message;
  return {
    serverId,
    body,
    headers: {
      version: protocolVersion || undefined,
      method: methodHeader || undefined,
      name: nameHeader || undefined,
      params: paramHeaders,
    },
  };
}
