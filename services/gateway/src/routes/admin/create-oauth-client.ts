import { z } from 'zod';
import { text } from '@fairlead/rest-kit/fields';
import { DEFAULT_SCOPES } from '@fairlead/access/scopes';
import {
  createdOAuthClientRecord,
  grantType,
  presentOAuthClient,
  scope,
} from '@fairlead/rest-records/oauth-client';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { userId } from './user-inputs.ts';

/** Far more than there are grant types or scopes; a list may contain duplicates. */
const MAX_CHOICES = 100;

const body = z
  .object({
    name: text(1, 200),
    redirectUris: z
      .array(z.string().max(2000))
      .max(20)
      .default([])
      .describe(
        'Where the browser returns to, compared character by character; only for authorization_code.',
      ),
    grantTypes: z
      .array(grantType)
      .min(1)
      .max(MAX_CHOICES)
      .default(['client_credentials'])
      .describe('refresh_token requires authorization_code.'),
    scopes: z
      .array(scope)
      .min(1)
      .max(MAX_CHOICES)
      .default([...DEFAULT_SCOPES])
      .describe('The scopes that the client may request; its tokens can do no more than their user may.'),
    userId: userId
      .nullish()
      .describe('The user that client credentials tokens act as. Null or absent: the caller.'),
  })
  .meta({ id: 'CreateOAuthClientRequest' });

export const createOAuthClient = defineRoute(
  {
    operationId: 'createOAuthClient',
    method: 'post',
    path: '/admin/v1/oauth-clients',
    tags: ['Administration'],
    summary: 'Create an OAuth client',
    description:
      'Creates a confidential client of the account; `clientSecret` is returned only here. Only an owner may create one that acts as an owner.',
    services: ['oauthClients'],
    resource: 'OAuth client',
    permission: 'administration',
    body,
    response: createdOAuthClientRecord,
    status: 201,
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  async ({ ctx, body: { userId: actsAs, grantTypes, scopes, ...sent }, services }) => {
    const { client, clientSecret } = await services.oauthClients.createOAuthClient(ctx, {
      ...sent,
      grantTypes: [...new Set(grantTypes)],
      scopes: [...new Set(scopes)],
      ...(typeof actsAs === 'string' && { userId: actsAs }),
    });
    return { ...presentOAuthClient(required(client)), clientSecret };
  },
);
