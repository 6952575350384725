import { z } from 'zod';
import { presentWorkflow, workflowRecord } from '@fairlead/rest-records/workflow';
import { required } from '@fairlead/rest-records/values';
import { jsonBytes } from '@fairlead/service-kit/json/lazy-json';
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

export const updateWorkflow = defineRoute(
  {
    operationId: 'updateWorkflow',
    method: 'patch',
    path: '/v1/workflows/{workflowToken}',
    tags: ['Workflows'],
    summary: 'Change a workflow',
    description:
      'A member that is left out keeps its value; `steps` replaces all of them. Runs that are under way keep what they began with. ' +
      'Policies of toolsets that name the workflow by a former slug still hold for it; 409 CONFLICT if it already has 100 former slugs.',
    services: ['workflows'],
    permission: 'tools.write',
    params: workflowParams,
    resource: 'workflow',
    body,
    passesOn: ['inputSchema', 'steps.*.fields', 'output'],
    response: workflowRecord,
    errors: ['CONFLICT'],
  },
  async ({ ctx, params: { workflowToken }, body: { inputSchema, steps, output, ...sent }, services }) => {
    const { workflow } = await services.workflows.updateWorkflow(ctx, {
      ...sent,
      workflowToken,
      ...(steps !== undefined && { steps: { steps } }),
      ...(inputSchema !== undefined && { inputSchemaJson: jsonBytes(inputSchema) }),
      ...(output !== undefined && { outputJson: jsonBytes(output) }),
    });
    return presentWorkflow(required(workflow));
  },
);
