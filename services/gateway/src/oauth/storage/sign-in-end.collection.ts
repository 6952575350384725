import { defineCollection } from '@fairlead/service-kit/mongo/mongo';

/** When everything that a user had signed in to was ended. */
export interface SignInEndDocument {
  /** The user. */
  readonly _id: string;
  readonly accountId: string;
  readonly endedAt: Date;
  /** When no sign-in from before can still be valid. */
  readonly expiresAt: Date;
}

/** Ends of sign-ins: a browser session or a sign-in under way that another request writes again stays ended. */
export const signInEndCollection = defineCollection<SignInEndDocument>({
  name: 'oauth_sign_in_ends',
  indexes: [{ key: { expiresAt: 1 }, expireAfterSeconds: 0 }, { key: { accountId: 1 } }],
});
