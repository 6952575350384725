import { z } from 'zod';
import { executionRecord, presentExecution } from '@fairlead/rest-records/execution';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';

export const getExecution = defineRoute(
  {
    operationId: 'getExecution',
    method: 'get',
    path: '/v1/executions/{historyId}',
    tags: ['Tools'],
    summary: 'Get an execution',
    services: ['executions'],
    permission: 'tools.read',
    toolsetKeys: 'any',
    params: z.object({ historyId: z.int().min(1) }),
    resource: 'execution',
    response: executionRecord,
  },
  async ({ ctx, params, services }) => {
    const { execution } = await services.executions.getExecution(ctx, {
      historyId: BigInt(params.historyId),
    });
    return presentExecution(required(execution));
  },
);
