import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { z } from 'zod';
import { instant, text } from '@fairlead/rest-kit/fields';
import { createdApiKeyRecord, presentCreatedApiKey } from '@fairlead/rest-records/api-key';
import { defineRoute } from '../define-route.ts';
import { userId } from './user-inputs.ts';

const body = z
  .strictObject({
    name: text(1, 200),
    userId: userId.nullish().describe('The user that the key acts as. Null or absent: the caller.'),
    expiresAt: instant.nullish().describe('In the future. Null or absent: it does not expire.'),
  })
  .meta({ id: 'CreateApiKeyRequest' });

/** POST /admin/v1/api-keys */
export const createApiKey = defineRoute(
  {
    operationId: 'createApiKey',
    method: 'post',
    path: '/admin/v1/api-keys',
    tags: ['Administration'],
    summary: 'Create an API key',
    description:
      '`apiKey` is returned only here. The key acts as its user; only an owner may create a key for an owner.',
    auth: 'credential',
    services: ['apiKeys'],
    resource: 'API key',
    permission: 'administration',
    body,
    response: createdApiKeyRecord,
    status: 201,
    errors: ['NOT_FOUND'],
  },
  async ({ ctx, body: { name, userId: owner, expiresAt }, services }) =>
    presentCreatedApiKey(
      await services.apiKeys.createApiKey(ctx, {
        name,
        ...(typeof owner === 'string' && { userId: owner }),
        ...(expiresAt instanceof Date && { expiresAt: timestampFromDate(expiresAt) }),
      }),
    ),
);
