import type { RegisteredClient } from '@fairlead/connector-runtime/mcp-oauth/client-registration';
import type { RequestContext } from '@fairlead/service-kit/context/context';

/** An authorization server, and where a client has the browser sent back to from there. */
export interface RegisteredAt {
  readonly issuer: string;
  readonly redirectUri: string;
}

/** A client that was registered before. */
export interface ClientRecord extends RegisteredClient {
  readonly savedAt: Date;
}

/** The clients that authorization servers of MCP servers have registered, one per account and issuer. */
export interface RegisteredClientStore {
  /** The client, unless it was registered with another redirect URI, or its secret has expired at `now`. */
  find(
    ctx: RequestContext,
    accountId: string,
    at: RegisteredAt,
    now: Date,
  ): Promise<ClientRecord | undefined>;
  /** Keeps a client instead of the former one. */
  save(
    ctx: RequestContext,
    accountId: string,
    at: RegisteredAt,
    o: { readonly client: RegisteredClient; readonly now: Date },
  ): Promise<void>;
  /** Forgets that client, if it is still the one that is kept: its server no longer knows it. */
  forget(ctx: RequestContext, accountId: string, issuer: string, clientId: string): Promise<void>;
}
