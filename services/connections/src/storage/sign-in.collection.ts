import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { SealedValue } from '@fairlead/sealing/sealed-value';
import type { SignInHead } from '../domain/sign-in.ts';
import type { SealedTokens } from './connection.collection.ts';

/** A sign-in document. It is removed when used or expired. Undeclared members are those of SignIn. */
export interface SignInDocument extends Omit<SignInHead, 'state' | 'scopes'> {
  /** The state. */
  readonly _id: string;
  /** Absent in documents of the previous release, which live for 300 s. */
  readonly scopes?: readonly string[];
  /** The fields given at the start: JSON text, and sealed secrets. */
  readonly given: { readonly plain: string; readonly secret: SealedValue | null };
  /** The PKCE verifier. */
  readonly codeVerifier: SealedValue;
  /** SHA-256 of the browser's secret; null until a browser begins. */
  readonly bindingHash: string | null;
  /** Only moves forward; `redeeming` belongs to the one callback that set it. */
  readonly status: 'pending' | 'redeeming' | 'completed' | 'failed';
  /** With status `completed`. `fieldOptions` is JSON text. */
  readonly outcome: {
    readonly tokens: SealedTokens;
    readonly suggestedName: string;
    readonly grantedScopes: readonly string[];
    readonly fieldOptions: string;
  } | null;
  /** With status `failed`. */
  readonly reason: string | null;
}

/** Reads filter on `expiresAt` themselves; the TTL index only cleans up, late enough to tolerate clock skew. */
export const signInCollection = defineCollection<SignInDocument>({
  name: 'sign_ins',
  indexes: [
    { key: { expiresAt: 1 }, name: 'clear_away', expireAfterSeconds: 60 },
    { key: { accountId: 1 }, name: 'of_an_account' },
  ],
});
