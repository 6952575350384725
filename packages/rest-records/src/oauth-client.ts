import { ACCOUNT_CLIENT_GRANTS } from '@fairlead/access/client-grants';
import { SCOPES } from '@fairlead/access/permissions';
import type { OAuthClient } from '@fairlead/contracts/identity/v1/oauth_client_service_pb';
import { z } from 'zod';
import { timestamp } from '@fairlead/rest-kit/fields';
import { presentTime } from './values.ts';

/** The grants by which a client may get tokens. */
export const grantType = z.enum(ACCOUNT_CLIENT_GRANTS);

/** A scope of a token. */
export const scope = z.enum(SCOPES);

const members = {
  clientId: z.string(),
  name: z.string(),
  redirectUris: z.array(z.string()),
  grantTypes: z.array(grantType),
  scopes: z.array(scope).describe('The scopes that the client may request.'),
  userId: z.string().describe('The user that client credentials tokens act as.'),
  createdAt: timestamp,
  updatedAt: timestamp,
};

/** An OAuth client of the account, without its secret. */
export const oauthClientRecord = z.strictObject(members).meta({ id: 'OAuthClient' });

/** An OAuth client as its creation returns it. */
export const createdOAuthClientRecord = z
  .strictObject({ ...members, clientSecret: z.string().describe('It cannot be read again.') })
  .meta({ id: 'CreatedOAuthClient' });

/** An OAuth client, without its secret. */
export function presentOAuthClient(client: OAuthClient): z.output<typeof oauthClientRecord> {
  return {
    clientId: client.id,
    name: client.name,
    redirectUris: client.redirectUris,
    grantTypes: z.array(grantType).parse(client.grantTypes),
    scopes: z.array(scope).parse(client.scopes),
    userId: client.userId,
    createdAt: presentTime(client.createdAt),
    updatedAt: presentTime(client.updatedAt),
  };
}
