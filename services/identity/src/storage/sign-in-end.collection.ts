import { defineCollection } from '@fairlead/service-kit/mongo/collection';

/** The time until which all sign-ins of a user have ended. */
export interface SignInEndDocument {
  /** The user. */
  readonly _id: string;
  readonly accountId: string;
  readonly endedAt: Date;
  /** Time from which no earlier sign-in can still be valid. */
  readonly expiresAt: Date;
}

/** Ends of sign-ins: a browser session or pending sign-in stays ended even if another request writes it again. */
export const signInEndCollection = defineCollection<SignInEndDocument>({
  name: 'oauth_sign_in_ends',
  indexes: [{ key: { expiresAt: 1 }, expireAfterSeconds: 0 }, { key: { accountId: 1 } }],
});
