import type { RegisteredClient } from '@fairlead/connector-runtime/mcp-oauth/client-registration';
import type { RequestContext } from '@fairlead/service-kit/context/context';

/** The clients that authorization servers of MCP servers have registered, one per account and issuer. */
export interface RegisteredClientStore {
  /** The client, unless its secret has expired at `now`. */
  find(
    ctx: RequestContext,
    accountId: string,
    issuer: string,
    now: Date,
  ): Promise<RegisteredClient | undefined>;
  /** Keeps a client instead of the former one. */
  save(
    ctx: RequestContext,
    accountId: string,
    issuer: string,
    o: { readonly client: RegisteredClient; readonly now: Date },
  ): Promise<void>;
  /** Forgets that client, if it is still the one that is kept: its server no longer knows it. */
  forget(ctx: RequestContext, accountId: string, issuer: string, clientId: string): Promise<void>;
}
