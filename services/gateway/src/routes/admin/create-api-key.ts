import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { z } from 'zod';
import { guidText, instant, text } from '@fairlead/rest-kit/fields';
import { createdApiKeyRecord, presentCreatedApiKey } from '@fairlead/rest-records/api-key';
import { permission } from '@fairlead/rest-records/principal';
import { defineRoute } from '../define-route.ts';
import { userId } from './user-inputs.ts';

/** Far more than there are permissions; duplicates are merged. */
const MAX_SCOPES = 100;

const body = z
  // A misspelt member would otherwise create a key with more permissions than intended.
  .strictObject({
    name: text(1, 200),
    userId: userId.nullish().describe('The user that the key acts as. Null or absent: the caller.'),
    scopes: z
      .array(permission)
      .max(MAX_SCOPES)
      .nullish()
      .describe(
        'The permissions that the key keeps of its user’s; one that the user lacks gives nothing. Null or absent: all of them.',
      ),
    toolsetId: guidText
      .nullish()
      .describe(
        'Every execution with the key runs as with this toolset in the query, and the key does nothing else but read tools, ' +
          'applications, the toolset, its own executions and its own files. It ends with the toolset. Null or absent: none.',
      ),
    expiresAt: instant.nullish().describe('In the future. Null or absent: it does not expire.'),
  })
  .meta({ id: 'CreateApiKeyRequest' });

export const createApiKey = defineRoute(
  {
    operationId: 'createApiKey',
    method: 'post',
    path: '/admin/v1/api-keys',
    tags: ['Administration'],
    summary: 'Create an API key',
    description:
      '`apiKey` is returned only here. The key acts as its user; only an owner may create a key for an owner. ' +
      'A key with `scopes` or `toolsetId` does not administer the account.',
    services: ['apiKeys', 'toolsets'],
    resource: 'API key',
    permission: 'administration',
    body,
    response: createdApiKeyRecord,
    status: 201,
    errors: ['NOT_FOUND'],
  },
  async ({ ctx, body: { name, userId: owner, expiresAt, scopes, toolsetId }, services }) => {
    if (typeof toolsetId === 'string') await services.toolsets.getToolset(ctx, { id: toolsetId });
    return presentCreatedApiKey(
      await services.apiKeys.createApiKey(ctx, {
        name,
        ...(scopes && { scopes: { names: [...new Set(scopes)] } }),
        ...(typeof toolsetId === 'string' && { toolsetId }),
        ...(typeof owner === 'string' && { userId: owner }),
        ...(expiresAt instanceof Date && { expiresAt: timestampFromDate(expiresAt) }),
      }),
    );
  },
);
