import { z } from 'zod';
import { connectionParams } from './inputs.ts';
import { defineRoute } from '../define-route.ts';

const testResult = z
  .strictObject({
    isSuccess: z.boolean(),
    errorMessage: z
      .string()
      .nullable()
      .describe('The vendor’s own text with secrets masked; null on success.'),
  })
  .meta({ id: 'ConnectionTestResult' });

export const testConnection = defineRoute(
  {
    operationId: 'testConnection',
    method: 'post',
    path: '/v1/connections/{connectionId}/test',
    tags: ['Connections'],
    summary: 'Test a connection',
    description: 'Calls the vendor with the connection’s credential and returns the result.',
    services: ['connections'],
    permission: 'connections.write',
    callsApplication: true,
    params: connectionParams,
    resource: 'connection',
    response: testResult,
  },
  async ({ ctx, params, services }) => {
    const { isSuccess, errorMessage = '' } = await services.connections.testConnection(ctx, {
      id: params.connectionId,
    });
    return { isSuccess, errorMessage: isSuccess ? null : errorMessage };
  },
);
