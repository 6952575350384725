import { defineCollection } from '@fairlead/service-kit/mongo/collection';

/** One consent of a user to a client. Its tokens are one family and end with it. */
export interface OAuthGrantDocument {
  readonly _id: string;
  /** The account in which the client acts. */
  readonly accountId: string;
  /** The user as whom the client acts. */
  readonly userId: string;
  readonly clientId: string;
  /** The authorization server's data of the grant, such as scopes by resource, as JSON; nothing secret. */
  readonly payload: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Grants, by id; the id is also a claim of the tokens. */
export const oauthGrantCollection = defineCollection<OAuthGrantDocument>({
  name: 'oauth_grants',
  indexes: [
    { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
    { key: { accountId: 1, _id: 1 } },
    { key: { userId: 1 } },
    { key: { clientId: 1 } },
  ],
});
