import type {
  HandleMessageInteractivelyResponse,
  HandleMessageResponse,
} from '@fairlead/contracts/mcp/v1/endpoint_service_pb';

/**
 * Passes on the messages that precede the response, each after `send` has accepted the previous one, and returns the
 * response. `send` may drop messages if the client is gone.
 */
export async function converse(
  messages: AsyncIterable<HandleMessageInteractivelyResponse>,
  send: (json: Uint8Array) => Promise<void>,
): Promise<HandleMessageResponse> {
  let response: HandleMessageResponse | undefined;
  for await (const { message } of messages) {
    if (message.case === 'response') response = message.value;
    else if (message.case === 'clientMessage') await send(message.value);
  }
  if (response === undefined) throw new Error('The mcp service sent no response.');
  return response;
}
