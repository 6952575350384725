import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { Sealed } from '@fairlead/service-kit/sealing/sealed-value';
import type { DiscoveredServer } from '../domain/mcp-sign-in.ts';
import type { SealedTokens } from './connection.collection.ts';

/** One sign-in. It is removed when it is used, or after it expires. */
export interface SignInDocument {
  /** The state. */
  _id: string;
  accountId: string;
  userId: string;
  applicationSlug: string;
  applicationName: string;
  authenticationId: number;
  authProviderId: number;
  /** Absent on documents of the release before this was stored, which live for 300 s. */
  addressRevision?: string | null;
  /** Absent on documents of earlier releases: the user's own. */
  connectSessionId?: string | null;
  authorizeUrl: string;
  /** Absent on documents of the release before this was stored, which live for 300 s. */
  redirectUri?: string;
  /** Absent on documents of the release before this was stored, which live for 300 s. */
  scopes?: string[];
  /** Absent, as is `issuer`, on documents of the release before this was stored. */
  isPushed?: boolean;
  issuer?: { url: string; isRequired: boolean } | null;
  /** The fields given at the start: JSON text, and the secret ones. Absent on documents of the release before. */
  given?: { plain: string; secret: Sealed | null };
  /** For an MCP server; absent for other applications. */
  server?: DiscoveredServer;
  /** The PKCE verifier. */
  codeVerifier: Sealed;
  /** SHA-256 of the secret that the browser holds; null until a browser begins. */
  bindingHash: string | null;
  /** Moves forward only; `redeeming` belongs to the one callback that moved it there. */
  status: 'pending' | 'redeeming' | 'completed' | 'failed';
  /** With status `completed`. `fieldOptions` is JSON text. */
  outcome: {
    tokens: SealedTokens;
    suggestedName: string;
    grantedScopes: string[];
    fieldOptions: string;
  } | null;
  /** With status `failed`. */
  reason: string | null;
  createdAt: Date;
  expiresAt: Date;
}

/** Reads filter on `expiresAt` themselves; the TTL index only cleans up, late enough to tolerate clock skew. */
export const signInCollection = defineCollection<SignInDocument>({
  name: 'sign_ins',
  indexes: [
    { key: { expiresAt: 1 }, name: 'clear_away', expireAfterSeconds: 60 },
    { key: { accountId: 1 }, name: 'of_an_account' },
  ],
});
