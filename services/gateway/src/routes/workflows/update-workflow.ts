import { toValue } from '@fairlead/connect-fast/json-value';
import { z } from 'zod';
import { presentWorkflow, workflowRecord } from '@fairlead/rest-records/workflow';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { workflowMembers, workflowParams } from './inputs.ts';

const body = z
  .object({
    name: workflowMembers.name.exactOptional(),
    slug: workflowMembers.slug.exactOptional(),
    description: workflowMembers.description.exactOptional(),
    inputSchema: workflowMembers.inputSchema.exactOptional(),
    steps: workflowMembers.steps.exactOptional(),
    output: workflowMembers.output.exactOptional(),
  })
  .meta({ id: 'UpdateWorkflowRequest' });

/** PATCH /v1/workflows/{workflowToken} */
export const updateWorkflow = defineRoute(
  {
    operationId: 'updateWorkflow',
    method: 'patch',
    path: '/v1/workflows/{workflowToken}',
    tags: ['Workflows'],
    summary: 'Change a workflow',
    description:
      'A member that is left out keeps its value; `steps` replaces all of them. Runs that are under way keep what they began with.',
    auth: 'credential',
    services: ['workflows'],
    permission: 'tools.write',
    params: workflowParams,
    resource: 'workflow',
    body,
    response: workflowRecord,
    errors: ['CONFLICT'],
  },
  async ({ ctx, params: { workflowToken }, body: { steps, output, ...sent }, services }) => {
    const { workflow } = await services.workflows.updateWorkflow(ctx, {
      ...sent,
      workflowToken,
      ...(steps !== undefined && { steps: { steps } }),
      ...(output !== undefined && { output: toValue(output) }),
    });
    return presentWorkflow(required(workflow));
  },
);
