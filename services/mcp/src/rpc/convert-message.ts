import type { MessageInitShape } from '@bufbuild/protobuf';
import type {
  HandleMessageInteractivelyRequest,
  HandleMessageRequest,
  HandleMessageResponseSchema,
} from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import { validationError } from '@fairlead/errors/api-error';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { logLevelOf } from '../domain/mcp-client.ts';
import type { PostAnswer } from '../endpoint/answer-post.ts';
import { wholeOf } from '../endpoint/json-rpc.ts';
import type { PostedMessage } from '../use-cases/endpoint/handle-message.ts';

/** The posted body in a message; an empty header was not sent. */
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

/** The posted body and its session; VALIDATION_ERROR if the session is absent or malformed. */
export function fromHandleMessageInteractivelyRequest(
  request: HandleMessageInteractivelyRequest,
): PostedMessage {
  const { message, clientCapabilitiesJson, logLevel: level } = request;
  if (message === undefined) throw validationError({ field: 'message', issue: 'is required' });
  const logLevel = logLevelOf(level);
  if (level !== '' && logLevel === undefined)
    throw validationError({ field: 'log_level', issue: 'must be a level of the protocol' });
  const capabilities = LazyJson.object(clientCapabilitiesJson, 'client_capabilities_json').parseObject();
  return { ...fromHandleMessageRequest(message), session: { capabilities, logLevel } };
}

/** The answer; its common part is omitted if the caller's cached one has the same digest. */
export function toHandleMessageResponse(
  { status: httpStatus, body, common }: PostAnswer,
  keptPartDigest?: Uint8Array,
): MessageInitShape<typeof HandleMessageResponseSchema> {
  if (body === undefined) return { httpStatus };
  if (common === undefined) return { httpStatus, body };
  const { offset, json } = common;
  const isLeftOut = keptPartDigest !== undefined && json.digest.equals(keptPartDigest);
  const commonPart = { digest: json.digest, offset, size: json.bytes.length, isLeftOut };
  return { httpStatus, body: isLeftOut ? body : wholeOf({ body, common }), commonPart };
}
