import { defineCollection } from '@fairlead/service-kit/mongo/mongo';

/** What a user allowed a client, once. Its tokens are one family: they live and die with it. */
export interface OAuthGrantDocument {
  readonly _id: string;
  /** Where the client acts. */
  readonly accountId: string;
  /** Whom it acts as. */
  readonly userId: string;
  readonly clientId: string;
  /** Scopes by resource and the rest that the authorization server keeps of it, as JSON; nothing secret. */
  readonly payload: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Grants, by their id, which is also a claim of the tokens. */
export const oauthGrantCollection = defineCollection<OAuthGrantDocument>({
  name: 'oauth_grants',
  indexes: [
    { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
    { key: { accountId: 1 } },
    { key: { userId: 1 } },
    { key: { clientId: 1 } },
  ],
});
