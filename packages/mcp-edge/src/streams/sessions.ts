import type { IncomingMessage } from 'node:http';
import { ApiError, validationError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CapabilityBits } from '../interaction/client-capabilities.ts';
import type { EndedSessions } from './ended-sessions.ts';
import type { Session, SessionIds, SessionOwner } from './session-ids.ts';

/** The Streamable HTTP session header, in Node's spelling. */
export const SESSION_HEADER = 'mcp-session-id';

/**
 * Thrown if the client has to begin a new session: its session id is invalid, expired, ended, or belongs to another
 * server or user.
 */
export class NoSessionError extends ApiError {
  constructor() {
    super('NOT_FOUND', 'The session does not exist or has ended. Begin a new one with initialize.');
  }
}

/** Sessions of Streamable HTTP, which clients name in the header Mcp-Session-Id. */
export interface Sessions {
  /** The id of a new session, whose client declared these capabilities. */
  start(owner: SessionOwner, capabilities: CapabilityBits): string;
  /** The session in the header; undefined: there is no such header. Throws NoSessionError. */
  find(ctx: RequestContext, request: IncomingMessage, owner: SessionOwner): Promise<Session | undefined>;
  /** Ends the session in the header at all replicas. Throws NoSessionError, and VALIDATION_ERROR without the header. */
  end(ctx: RequestContext, request: IncomingMessage, owner: SessionOwner): Promise<Session>;
}

/** Sessions with signed ids; only ended sessions are stored. */
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

  /** False if this cannot be read. The request is then still authenticated by its own credential. */
  async function hasEnded(ctx: RequestContext, { key }: Session): Promise<boolean> {
    try {
      return await o.ended.has(ctx, key);
    } catch (error) {
      ctx.log.warn({ err: error }, 'cannot read whether a session has ended');
      return false;
    }
  }

  return {
    start: (owner, capabilities) => o.ids.issue(owner, 'streamable', capabilities).id,
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
