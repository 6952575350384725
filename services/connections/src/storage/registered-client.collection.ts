import type { TokenAuthentication } from '@fairlead/connector-runtime/mcp-oauth/client-registration';
import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { SealedValue } from '@fairlead/sealing/sealed-value';

/** A client that Fairlead registered for an account at the authorization server of an MCP server. */
export interface RegisteredClientDocument {
  /** A GUID. */
  readonly _id: string;
  readonly accountId: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Registered redirect URI; absent in documents of earlier releases, whose clients are replaced. */
  readonly redirectUri?: string;
  readonly clientAuthentication: TokenAuthentication;
  /** Null for a public client. */
  readonly secret: SealedValue | null;
  /** When the secret expires; null: never. */
  readonly expiresAt: Date | null;
  readonly savedAt: Date;
}

/** Connections have their own copies, so an unused client may be removed. */
const KEPT_SECONDS = 90 * 24 * 60 * 60;

/** The first index allows one client per account and issuer. */
export const registeredClientCollection = defineCollection<RegisteredClientDocument>({
  name: 'registered_clients',
  indexes: [
    { key: { accountId: 1, issuer: 1 }, name: 'one_per_issuer', unique: true },
    { key: { savedAt: 1 }, name: 'clear_away', expireAfterSeconds: KEPT_SECONDS },
  ],
});
