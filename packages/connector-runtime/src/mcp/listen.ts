import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { ProtocolError } from '@modelcontextprotocol/client';
import { isArray } from '../templates.ts';
import { requestResult } from './server-request.ts';
import type { McpSession } from './session.ts';

/** The result of a listening request, if the server ends it. */
const ENDED: JsonObject = {};

/**
 * Has the server tell the session of changes of these resources, and of its lists, until the call ends or the server does. A resource that the
 * server refuses is left out.
 */
export async function listenToServer(session: McpSession, uris: Json): Promise<JsonObject> {
  const named = isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [];
  const { client, options } = session;
  if (client.getProtocolEra() !== 'legacy') {
    const notifications = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      ...(named.length > 0 && { resourceSubscriptions: named }),
    };
    await requestResult(session, 'subscriptions/listen', { notifications });
    return ENDED;
  }
  for (const uri of named)
    await requestResult(session, 'resources/subscribe', { uri }).catch((error: unknown) => {
      if (!(error instanceof ProtocolError)) throw error;
    });
  return await untilAborted(options.signal);
}

/** Rejects with the reason of the signal. */
function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = (): void => reject(signal?.reason as Error); // of the deadline or the session
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
