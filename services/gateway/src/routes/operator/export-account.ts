import { z } from 'zod';
import { jsonObject, timestamp } from '@fairlead/rest-kit/fields';
import { defineRoute } from '../define-route.ts';
import { accountParams } from './account-params.ts';

const accountExport = z
  .looseObject({
    exportedAt: timestamp,
    account: jsonObject,
    users: z.array(jsonObject),
    apiKeys: z.array(jsonObject),
    applications: z.array(jsonObject),
    connections: z.array(jsonObject),
    executions: z.array(jsonObject),
    auditEntries: z.array(jsonObject),
    usage: z.array(jsonObject),
  })
  .meta({ id: 'AccountExport' });

export const exportAccount = defineRoute(
  {
    operationId: 'exportAccount',
    method: 'get',
    path: '/operator/v1/accounts/{accountId}/export',
    tags: ['Operator'],
    summary: 'Export all data of an account',
    description:
      'Returns everything stored about the account, except secrets, as one JSON object that is streamed: a response that ends ' +
      'early is not valid JSON. Kinds of records may be added.',
    auth: 'operator',
    services: ['accounts'],
    params: accountParams,
    resource: 'account',
    response: accountExport,
    streams: true,
    audit: 'before',
  },
  ({ ctx, params, services }) => Promise.resolve(services.accounts.export(ctx, params.accountId)),
);
