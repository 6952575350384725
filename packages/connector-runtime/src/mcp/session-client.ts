import { randomInt } from 'node:crypto';
import { Client } from '@modelcontextprotocol/client';
import type { CreateMessageResult, ElicitResult, ListRootsResult } from '@modelcontextprotocol/client';
import type { JsonObject } from '@fairlead/connector-model/json';
import { CallFailure } from '../failure.ts';
import { forwardedCapabilities } from './calling-client.ts';
import { CLIENT_INFO } from './client-info.ts';
import type { SessionMessages } from './session-messages.ts';

/** Maximum pages of a list. A server with an endless list is refused. */
const MAX_LIST_PAGES = 100;
/** Maximum request id; some servers read ids as 32-bit integers. */
const MAX_FIRST_ID = 2 ** 30;

/**
 * The SDK's client of a session. It declares the capabilities of the first call's client that can be passed on, or
 * none without a client, because nobody would answer. Requests in a result go to the client of the running call;
 * `session` answers all other requests.
 */
export function createSessionClient(
  mode: 'auto' | 'legacy',
  session: SessionMessages,
  declared: JsonObject = {},
): Client {
  const capabilities = forwardedCapabilities(declared);
  const client = new Client(CLIENT_INFO, {
    capabilities,
    versionNegotiation: { mode },
    listMaxPages: MAX_LIST_PAGES,
  });
  // First request id. The SDK counts from 0 in every session, but a call that is repeated with answers needs a new id
  // (MCP 2026-07-28), even in another session.
  client['_requestMessageId'] = randomInt(MAX_FIRST_ID);
  const fulfil = async (method: string, params: object | undefined): Promise<unknown> => {
    const conversation = session.conversation();
    if (conversation === undefined) throw new CallFailure('The MCP server asked for input after the call.');
    return await conversation.fulfil(method, { ...params });
  };
  // The SDK validates the handlers' results.
  if ('elicitation' in capabilities)
    client.setRequestHandler(
      'elicitation/create',
      async ({ method, params }) => (await fulfil(method, params)) as ElicitResult,
    );
  if ('sampling' in capabilities)
    client.setRequestHandler(
      'sampling/createMessage',
      async ({ method, params }) => (await fulfil(method, params)) as CreateMessageResult,
    );
  if ('roots' in capabilities)
    client.setRequestHandler(
      'roots/list',
      async ({ method, params }) => (await fulfil(method, params)) as ListRootsResult,
    );
  return client;
}
