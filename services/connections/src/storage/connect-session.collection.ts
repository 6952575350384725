import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { ConnectSession, SessionEnder } from '../domain/connect-session.ts';

export interface ConnectSessionDocument extends Omit<
  ConnectSession,
  'id' | 'metadata' | 'keyId' | 'endedBy'
> {
  /** The session id. */
  readonly _id: string;
  /** SHA-256 of the token, which is not stored. */
  readonly tokenHash: string;
  /** JSON text, because names chosen by people may be invalid in BSON. */
  readonly metadata: string;
  /** Absent in documents of earlier releases. */
  readonly keyId?: string | null;
  /** Absent in documents of earlier releases. */
  readonly endedBy?: SessionEnder | null;
  /** States of the newest sign-ins started in it. */
  readonly signInStates: readonly string[];
  /** Number of attempts that the vendor refused or has not answered yet; absent: none. */
  readonly refusedAttempts?: number;
  /** When it is removed. */
  readonly purgeAt: Date;
}

/** Reads compare `expiresAt` themselves; the TTL index removes old sessions. */
export const connectSessionCollection = defineCollection<ConnectSessionDocument>({
  name: 'connect_sessions',
  indexes: [
    { key: { tokenHash: 1 }, name: 'by_token', unique: true },
    { key: { accountId: 1, endUserId: 1 }, name: 'of_an_end_user' },
    { key: { accountId: 1, _id: -1 }, name: 'of_an_account' },
    { key: { allowedOrigins: 1, expiresAt: -1 }, name: 'of_an_origin' },
    { key: { purgeAt: 1 }, name: 'clear_away', expireAfterSeconds: 0 },
  ],
});
