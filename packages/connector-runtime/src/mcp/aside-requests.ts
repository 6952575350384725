import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/client';
import type { Client, RequestOptions, Transport } from '@modelcontextprotocol/client';
import type { JsonObject } from '@fairlead/connector-model/json';
import { CLIENT_INFO } from './client-info.ts';
import type { SessionMessages } from './session-messages.ts';

/**
 * Sends a request that the SDK does not know. Returns its response. To a server without a handshake (2026-07-28), it
 * also states the capabilities. `signal` defaults to the call's signal.
 */
export type SendAside = (
  method: string,
  params: JsonObject,
  capabilities: JsonObject,
  signal?: AbortSignal,
) => Promise<JsonObject>;

let lastId = 0;

/**
 * Sends requests that the SDK's client does not know and refuses to send. Without a handshake (2026-07-28), each
 * request states the version and the capabilities.
 */
export function createAsideRequests(
  { client, transport }: { readonly client: Client; readonly transport: Transport },
  messages: Pick<SessionMessages, 'responseTo'>,
  options: RequestOptions,
): SendAside {
  return async (method, params, capabilities, signal = options.signal) => {
    signal?.throwIfAborted();
    const id = `fairlead-${(lastId += 1)}`;
    const meta: JsonObject | undefined =
      client.getProtocolEra() === 'legacy'
        ? undefined
        : {
            [PROTOCOL_VERSION_META_KEY]: client.getNegotiatedProtocolVersion() ?? '',
            [CLIENT_INFO_META_KEY]: CLIENT_INFO,
            [CLIENT_CAPABILITIES_META_KEY]: capabilities,
          };
    const response = messages.responseTo(id);
    const ended = Promise.withResolvers<never>();
    const end = (): void => ended.reject(signal?.reason);
    signal?.addEventListener('abort', end, { once: true });
    try {
      const request = {
        jsonrpc: '2.0' as const,
        id,
        method,
        params: { ...params, ...(meta && { _meta: meta }) },
      };
      const sending = transport.send(request);
      // Settles only if sending fails. The response itself settles `response`, even if it came with an error status.
      const refused = sending.then(() => new Promise<never>(() => undefined));
      return await Promise.race([response, refused, ended.promise]);
    } finally {
      signal?.removeEventListener('abort', end);
    }
  };
}
