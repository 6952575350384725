import type { RegisteredClient } from '@fairlead/connector-runtime/mcp-oauth/client-registration';
import type { RequestContext } from '@fairlead/service-kit/context/context';

/** An authorization server, and the redirect URI of a client there. */
export interface ClientRegistrationKey {
  readonly issuer: string;
  readonly redirectUri: string;
}

export interface ClientRecord extends RegisteredClient {
  readonly savedAt: Date;
}

/** Clients that Fairlead registered at authorization servers of MCP servers, one per account and issuer. */
export interface RegisteredClientStore {
  /** The client, unless it was registered with another redirect URI, or its secret has expired at `now`. */
  find(
    ctx: RequestContext,
    accountId: string,
    at: ClientRegistrationKey,
    now: Date,
  ): Promise<ClientRecord | undefined>;
  /** Stores a client, replacing the former one. */
  save(
    ctx: RequestContext,
    accountId: string,
    at: ClientRegistrationKey,
    o: { readonly client: RegisteredClient; readonly now: Date },
  ): Promise<void>;
  /** Removes the client, if it is still the stored one, because its server no longer knows it. */
  forget(ctx: RequestContext, accountId: string, issuer: string, clientId: string): Promise<void>;
}
