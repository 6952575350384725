import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { z } from 'zod';
import { instant } from '@fairlead/rest-kit/fields';
import { connectionRecord, licenceStatus, presentConnection } from '@fairlead/rest-records/connection';
import { LICENCE_STATUSES } from '@fairlead/rest-records/enums';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { connectionParams } from '../connections/inputs.ts';

const body = z
  .object({
    status: licenceStatus,
    expiresAt: instant.nullish().describe('Null or absent: it does not expire.'),
  })
  .meta({ id: 'SetLicenceRequest' });

export const setLicence = defineRoute(
  {
    operationId: 'setLicence',
    method: 'put',
    path: '/admin/v1/connections/{connectionId}/licence',
    tags: ['Administration'],
    summary: 'Set the licence of a connection',
    description: 'Without an active licence a connection is Blocked and runs no tool.',
    services: ['connections'],
    permission: 'administration',
    params: connectionParams,
    resource: 'connection',
    body,
    response: connectionRecord,
  },
  async ({ ctx, params, body: sent, services }) => {
    const { connection } = await services.connections.setLicence(ctx, {
      id: params.connectionId,
      status: LICENCE_STATUSES[sent.status],
      ...(sent.expiresAt instanceof Date && { expiresAt: timestampFromDate(sent.expiresAt) }),
    });
    return presentConnection(required(connection));
  },
);
