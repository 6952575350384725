import type {
  ClientNotification,
  ClientRequest,
  McpClientSchema,
} from '@fairlead/contracts/tools/v1/execution_service_pb';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { ApiError } from '@fairlead/errors/api-error';
import { objectSlices } from '@fairlead/service-kit/json/json-slices';
import { jsonBytes, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import type { McpClient } from '../domain/mcp-client.ts';
import type { ClientChannel } from '../ports/client-channel.ts';

/** A message of a running call. */
type CallMessage<R> =
  | { readonly case: 'notification'; readonly value: ClientNotification }
  | { readonly case: 'request'; readonly value: ClientRequest }
  | { readonly case: 'result'; readonly value: R }
  | { readonly case: undefined; readonly value?: undefined };

/** Forwards a call's messages to its client, and returns the result. */
export async function resultOfCall<R>(
  messages: AsyncIterable<{ readonly message: CallMessage<R> }>,
  channel: ClientChannel,
): Promise<R> {
  let result: R | undefined;
  for await (const { message } of messages) {
    if (message.case === 'notification') {
      channel.notify(message.value.method, membersOf(message.value.paramsJson));
    } else if (message.case === 'request') {
      const { key, method, paramsJson } = message.value;
      await channel.pass({ key, method, params: paramsJson });
    } else if (message.case === 'result') {
      result = message.value;
    }
  }
  if (result === undefined) throw new ApiError('INTERNAL', 'An internal error occurred.');
  return result;
}

/** Whether a call can use its client: the client accepts requests, or the call brings answers. */
export function isForClient({ isInteractive, client }: ClientChannel): boolean {
  return isInteractive || client.inputs !== undefined;
}

/** Encodes a client. */
export function toMcpClient(client: McpClient): MessageInitShape<typeof McpClientSchema> {
  return {
    capabilitiesJson: jsonBytes(client.capabilities),
    logLevel: client.logLevel ?? '',
    wantsProgress: client.progressToken !== undefined,
    takesInputRequired: client.isStateless,
    ...(client.inputs && {
      inputResponsesJson: client.inputs.responses,
      requestState: client.inputs.state ?? '',
    }),
  };
}

/** The members of a notification, passed on unchanged. */
function membersOf(params: Uint8Array): LazyObject {
  const members = [...(objectSlices(params) ?? [])];
  return Object.fromEntries(members.map(([name, json]) => [name, new LazyJson(json, name)]));
}
