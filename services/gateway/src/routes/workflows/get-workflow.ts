import { presentWorkflow, workflowRecord } from '@fairlead/rest-records/workflow';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { workflowParams } from './inputs.ts';

export const getWorkflow = defineRoute(
  {
    operationId: 'getWorkflow',
    method: 'get',
    path: '/v1/workflows/{workflowToken}',
    tags: ['Workflows'],
    summary: 'Get a workflow',
    services: ['workflows'],
    permission: 'tools.read',
    params: workflowParams,
    resource: 'workflow',
    response: workflowRecord,
  },
  async ({ ctx, params: { workflowToken }, services }) => {
    const { workflow } = await services.workflows.getWorkflow(ctx, { workflowToken });
    return presentWorkflow(required(workflow));
  },
);
