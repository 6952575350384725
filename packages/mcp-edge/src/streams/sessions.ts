import type { IncomingMessage } from 'node:http';
import { ApiError, validationError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CapabilityBits } from '../interaction/client-capabilities.ts';
import type { EndedSessions } from './ended-sessions.ts';
import type { Session, SessionIds, SessionOwner } from './session-ids.ts';

/** The header that carries a session id of Streamable HTTP, as Node names it. */
export const SESSION_HEADER = 'mcp-session-id';

/** The client has to begin a new session: its id is not one, has expired or was ended, or belongs to another server or user. */
export class NoSessionError extends ApiError {
  constructor() {
    super('NOT_FOUND', 'The session does not exist or has ended. Begin a new one with initialize.');
  }
}

/** Sessions of Streamable HTTP: the client names one in the header Mcp-Session-Id. */
export interface Sessions {
  /** The id of a new session whose client declared these capabilities. */
  begin(owner: SessionOwner, capabilities: CapabilityBits): string;
  /** The session that the header names; undefined: there is no such header. Throws NoSessionError. */
  find(ctx: RequestContext, request: IncomingMessage, owner: SessionOwner): Promise<Session | undefined>;
  /** Ends the session that the header names, for every replica. Throws NoSessionError, and VALIDATION_ERROR without the header. */
  end(ctx: RequestContext, request: IncomingMessage, owner: SessionOwner): Promise<Session>;
}

/** Sessions by signed ids; only ended ones are stored. */
export function createSessions(o: { readonly ids: SessionIds; readonly ended: EndedSessions }): Sessions {
  async function find(
    ctx: RequestContext,
    { headers }: IncomingMessage,
    owner: SessionOwner,
  ): Promise<Session | undefined> {
    const id = headers[SESSION_HEADER];
    if (id === undefined) return undefined;
    const session = o.ids.verify(String(id), owner, 'streamable');
    if (session === undefined || (await hasEnded(ctx, session))) throw new NoSessionError();
    return session;
  }

  /** False if that cannot be read: every request is authenticated by itself. */
  async function hasEnded(ctx: RequestContext, { key }: Session): Promise<boolean> {
    try {
      return await o.ended.has(ctx, key);
    } catch (error) {
      ctx.log.warn({ err: error }, 'whether a session has ended cannot be read');
      return false;
    }
  }

  return {
    begin: (owner, capabilities) => o.ids.issue(owner, 'streamable', capabilities).id,
    find,
    async end(ctx, request, owner) {
      const session = await find(ctx, request, owner);
      if (session === undefined)
        throw validationError({ field: 'Mcp-Session-Id', issue: 'must name the session to end' });
      await o.ended.add(ctx, session);
      return session;
    },
  };
}
