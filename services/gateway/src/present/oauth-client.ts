import { z } from 'zod';
import { timestamp } from '../http/fields.ts';
import { SCOPES } from '../access/permissions.ts';
import { ACCOUNT_CLIENT_GRANTS } from '../oauth/domain/oauth-client.ts';
import type { OAuthClient } from '../oauth/domain/oauth-client.ts';

/** What a client may be issued tokens for. */
export const grantType = z.enum(ACCOUNT_CLIENT_GRANTS);

/** What a token may be used for. */
export const scope = z.enum(SCOPES);

const members = {
  clientId: z.string(),
  name: z.string(),
  redirectUris: z.array(z.string()),
  grantTypes: z.array(grantType),
  scopes: z.array(scope).describe('What the client may ask for at most.'),
  userId: z.string().describe('Whom tokens of client credentials act as.'),
  createdAt: timestamp,
  updatedAt: timestamp,
};

/** An OAuth client of the account as it can be read. */
export const oauthClientRecord = z.strictObject(members).meta({ id: 'OAuthClient' });

/** An OAuth client as its creation answers it. */
export const createdOAuthClientRecord = z
  .strictObject({ ...members, clientSecret: z.string().describe('Nobody can read it again.') })
  .meta({ id: 'CreatedOAuthClient' });

/** An OAuth client, without its secret. */
export function presentOAuthClient(client: OAuthClient): z.output<typeof oauthClientRecord> {
  return {
    clientId: client.id,
    name: client.name,
    redirectUris: [...client.redirectUris],
    grantTypes: [...client.grantTypes],
    scopes: [...client.scopes],
    userId: client.userId,
    createdAt: client.createdAt.toISOString(),
    updatedAt: client.updatedAt.toISOString(),
  };
}
