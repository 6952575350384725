import { membersOf } from '@fairlead/service-kit/json/json-members';
import { jsonBytes } from '@fairlead/service-kit/json/lazy-json';
import { z } from 'zod';
import { connectionRecord, presentConnection } from '@fairlead/rest-records/connection';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { connectionName, connectionParams, credentialFields, description, metadata } from './inputs.ts';

const body = z
  .object({
    connectionName,
    description,
    fields: credentialFields
      .optional()
      .describe('Absent: the credentials are kept. Present: all of them are replaced.'),
    oauthState: z
      .string()
      .nullish()
      // An empty state means a re-authentication whose state is missing.
      .transform((state) => (state === null ? '' : state))
      .describe(
        'The state of a completed sign-in of the same application and method: re-authenticates. Absent: the sign-in is kept.',
      ),
    metadata,
  })
  .meta({ id: 'ReplaceConnectionRequest' });

export const replaceConnection = defineRoute(
  {
    operationId: 'replaceConnection',
    method: 'put',
    path: '/v1/connections/{connectionId}',
    tags: ['Connections'],
    summary: 'Replace a connection',
    description:
      'Replaces the connection and does not merge: an absent description or metadata is cleared. The id does not change.',
    services: ['connections'],
    permission: 'connections.write',
    callsApplication: true,
    params: connectionParams,
    resource: 'connection',
    body,
    passesOn: ['fields.*', 'metadata'],
    response: connectionRecord,
    errors: [
      'INVALID_FIELD',
      'INVALID_ENUM_VALUE',
      'INVALID_AUTH_PROVIDER',
      'OAUTH_STATE_REQUIRED',
      'OAUTH_STATE_EXPIRED',
    ],
  },
  async ({ ctx, params, body: sent, services }) => {
    const { connection } = await services.connections.replaceConnection(ctx, {
      id: params.connectionId,
      connectionName: sent.connectionName,
      metadataJson: jsonBytes(sent.metadata ?? {}),
      ...(sent.description !== undefined && { description: sent.description }),
      ...(sent.fields !== undefined && { fields: { membersJson: membersOf(sent.fields) } }),
      ...(sent.oauthState !== undefined && { oauthState: sent.oauthState }),
    });
    return presentConnection(required(connection));
  },
);
