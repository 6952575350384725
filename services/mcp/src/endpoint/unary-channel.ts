import type { McpClient } from '../domain/mcp-client.ts';
import type { ClientChannel } from '../ports/client-channel.ts';

/** The channel to a client that is sent its response and nothing before it. */
export function openUnaryChannel(client: McpClient): ClientChannel {
  return {
    client,
    isInteractive: false,
    notify: () => undefined,
    pass: () => Promise.reject(new Error('A client that waits for one response cannot be sent a request.')),
    canAsk: () => false,
    ask: () => Promise.reject(new Error('The client cannot be asked.')),
  };
}
