import { randomInt } from 'node:crypto';
import { Client } from '@modelcontextprotocol/client';
import type { CreateMessageResult, ElicitResult, ListRootsResult } from '@modelcontextprotocol/client';
import type { JsonObject } from '@fairlead/connector-model/model';
import { CallFailure } from '../failure.ts';
import { forwardedCapabilities } from './calling-client.ts';
import { CLIENT_INFO } from './client-info.ts';
import type { SessionMessages } from './session-messages.ts';

/** A server whose list never ends is refused rather than followed. */
const MAX_LIST_PAGES = 100;
/** Some servers read ids as integers of 32 bits. */
const MAX_FIRST_ID = 2 ** 30;

/**
 * The SDK's client of a session. It declares what the client of the first call can do, as far as that can be passed on; without one it
 * declares nothing, because nobody responds to a server's requests. A request in a result that demands input goes to the client of the
 * call that runs then; `session` answers all other requests.
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
  // The SDK counts from 0 in every session, but a call that is repeated with answers must have another id (MCP 2026-07-28), in
  // whichever session it is.
  client['_requestMessageId'] = randomInt(MAX_FIRST_ID);
  const fulfil = async (method: string, params: object | undefined): Promise<unknown> => {
    const conversation = session.conversation();
    if (conversation === undefined) throw new CallFailure('The MCP server asked for input after the call.');
    return await conversation.fulfil(method, { ...params });
  };
  // The SDK checks what the handlers return.
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
