import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Secret } from '@fairlead/service-kit/secret';
import { z } from 'zod';
import { instant, slug, text } from '@fairlead/rest-kit/fields';
import { connectionRecord, presentConnection } from '@fairlead/rest-records/connection';
import { LICENCE_STATUSES } from '@fairlead/rest-records/enums';
import { required } from '@fairlead/rest-records/values';
import { endUserId } from '../connect-sessions/inputs.ts';
import { connectionName } from '../connections/inputs.ts';
import { providerChoice, providerFields } from '../connections/provider-choice.ts';
import { defineRoute } from '../define-route.ts';

const token = text(1, 16_384).transform((plain) => new Secret(plain));

const body = z
  .object({
    applicationSlug: slug,
    connectionName,
    authenticationId: z.int32().min(0),
    ...providerFields,
    endUserId: endUserId.nullish().describe('Absent: it is the account’s own.'),
    accessToken: token,
    refreshToken: token.nullish(),
    expiresAt: instant
      .nullish()
      .describe('When the access token expires. Absent: it is used until it is refused.'),
  })
  .meta({ id: 'ImportConnectionRequest' });

export const importConnection = defineRoute(
  {
    operationId: 'importConnection',
    method: 'post',
    path: '/admin/v1/connections/import',
    tags: ['Administration'],
    summary: 'Import a connection from another platform',
    description:
      'Takes the tokens of a sign-in that was made elsewhere through the same OAuth client: the named auth provider, otherwise the ' +
      'account’s default one, otherwise the connector’s own. The vendor is asked only for the choices of the method’s fields, of ' +
      'which the first is taken; if it does not answer, there are none, and a new sign-in finds them. Only for methods that use an OAuth sign-in.',
    services: ['connections'],
    resource: 'connection',
    permission: 'administration',
    callsApplication: true,
    body,
    response: connectionRecord,
    status: 201,
    errors: ['NOT_FOUND', 'CONFLICT', 'INVALID_AUTH_PROVIDER'],
  },
  async ({ ctx, principal, body: sent, services }) => {
    const provider = providerChoice(sent);
    const { refreshToken, expiresAt } = sent;
    const { connection } = await services.connections.importConnection(ctx, {
      applicationSlug: sent.applicationSlug,
      connectionName: sent.connectionName,
      authenticationId: sent.authenticationId,
      accessToken: sent.accessToken.reveal(),
      licenceStatus: LICENCE_STATUSES[principal.defaultLicence],
      maxConnections: principal.maxConnectionsPerEndUser,
      ...(provider !== undefined && { provider }),
      ...(typeof sent.endUserId === 'string' && { endUserId: sent.endUserId }),
      ...(refreshToken instanceof Secret && { refreshToken: refreshToken.reveal() }),
      ...(expiresAt instanceof Date && { expiresAt: timestampFromDate(expiresAt) }),
    });
    return presentConnection(required(connection));
  },
);
