import { membersOf } from '@fairlead/service-kit/json/json-members';
import { jsonBytes } from '@fairlead/service-kit/json/lazy-json';
import { z } from 'zod';
import { slug } from '@fairlead/rest-kit/fields';
import { connectionRecord, presentConnection } from '@fairlead/rest-records/connection';
import { LICENCE_STATUSES } from '@fairlead/rest-records/enums';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { connectionName, credentialFields, description, metadata, oauthState } from './inputs.ts';
import { providerChoice, providerFields } from './provider-choice.ts';

const body = z
  .object({
    applicationSlug: slug,
    connectionName,
    description,
    authenticationId: z.int32().min(0).optional().describe('Absent: the application’s default method.'),
    fields: credentialFields.default({}),
    oauthState,
    metadata,
  })
  .meta({ id: 'CreateConnectionRequest' });

export const createConnection = defineRoute(
  {
    operationId: 'createConnection',
    method: 'post',
    path: '/v1/connections',
    tags: ['Connections'],
    summary: 'Create a connection',
    description:
      'Takes credentials in `fields`, or the `oauthState` of a completed sign-in if the method requires one. The first ' +
      'connection of an application becomes its default. The auth provider in the query is used by client-credentials ' +
      'methods only.',
    services: ['connections'],
    resource: 'connection',
    permission: 'connections.write',
    callsApplication: true,
    query: z.object({
      ...providerFields,
      test: z
        .boolean()
        .default(false)
        .describe(
          'Asks the vendor first whether the credential works. If it does not, the request is refused with the vendor’s words, and ' +
            'nothing is stored. A sign-in has just been granted, and is not asked about.',
        ),
    }),
    body,
    passesOn: ['fields.*', 'metadata'],
    response: connectionRecord,
    status: 201,
    errors: [
      'NOT_FOUND',
      'INVALID_FIELD',
      'INVALID_ENUM_VALUE',
      'INVALID_AUTH_PROVIDER',
      'OAUTH_STATE_REQUIRED',
      'OAUTH_STATE_EXPIRED',
    ],
  },
  async ({ ctx, principal, query, body: sent, services }) => {
    const provider = providerChoice(query);
    const { connection } = await services.connections.createConnection(ctx, {
      applicationSlug: sent.applicationSlug,
      connectionName: sent.connectionName,
      fieldsJson: membersOf(sent.fields),
      metadataJson: jsonBytes(sent.metadata ?? {}),
      licenceStatus: LICENCE_STATUSES[principal.defaultLicence],
      test: query.test,
      ...(sent.description !== undefined && { description: sent.description }),
      ...(sent.authenticationId !== undefined && { authenticationId: sent.authenticationId }),
      ...(sent.oauthState !== undefined && { oauthState: sent.oauthState }),
      ...(provider !== undefined && { provider }),
    });
    return presentConnection(required(connection));
  },
);
