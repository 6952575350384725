import { create } from '@bufbuild/protobuf';
import type { ClientDescription } from '@fairlead/connector-runtime/mcp/calling-client';
import { McpClientSchema } from '@fairlead/contracts/tools/v1/execution_service_pb';
import type {
  AnswerClientRequestRequest,
  McpClient,
} from '@fairlead/contracts/tools/v1/execution_service_pb';
import { validationError } from '@fairlead/errors/api-error';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { CallMessage } from '../domain/call-message.ts';
import type { ClientAnswer } from '../ports/client-requests.ts';

/** The client in a message; without a message, a client without capabilities. VALIDATION_ERROR for JSON that is not an object. */
export function fromMcpClient(message: McpClient = create(McpClientSchema)): ClientDescription {
  const { capabilitiesJson, logLevel, wantsProgress, takesInputRequired, inputResponsesJson, requestState } =
    message;
  return {
    capabilities: LazyJson.object(capabilitiesJson, 'client.capabilities').parseObject(),
    logLevel: logLevel || undefined,
    wantsProgress,
    takesInputRequired,
    inputResponses:
      inputResponsesJson.length === 0
        ? undefined
        : LazyJson.object(inputResponsesJson, 'client.inputResponses').parseObject(),
    requestState: requestState || undefined,
  };
}

/** The answer in a request. VALIDATION_ERROR if there is none. */
export function fromClientAnswer(answer: AnswerClientRequestRequest['answer']): ClientAnswer {
  switch (answer.case) {
    case 'resultJson':
      return { result: LazyJson.object(answer.value, 'result') };
    case 'errorJson':
      return { error: LazyJson.object(answer.value, 'error') };
    default:
      throw validationError({ field: 'answer', issue: 'is required' });
  }
}

/** Encodes a message of a running call for its client, or its result. */
export function toCallMessage<R, M>(message: CallMessage<R>, toResult: (result: R) => M) {
  switch (message.kind) {
    case 'notification': {
      const { method, params } = message;
      return { message: { case: 'notification', value: { method, paramsJson: jsonOf(params) } } } as const;
    }
    case 'request': {
      const { key, method, params } = message;
      return { message: { case: 'request', value: { key, method, paramsJson: jsonOf(params) } } } as const;
    }
    case 'result':
      return { message: { case: 'result', value: toResult(message.result) } } as const;
  }
}

function jsonOf(params: object): Uint8Array {
  return Buffer.from(JSON.stringify(params));
}
