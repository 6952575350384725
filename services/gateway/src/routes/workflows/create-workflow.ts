import { z } from 'zod';
import { presentWorkflow, workflowRecord } from '@fairlead/rest-records/workflow';
import { required } from '@fairlead/rest-records/values';
import { jsonBytes } from '@fairlead/service-kit/json/lazy-json';
import { defineRoute } from '../define-route.ts';
import { workflowMembers } from './inputs.ts';

const body = z
  .object({
    name: workflowMembers.name,
    slug: workflowMembers.slug,
    description: workflowMembers.description.default(''),
    inputSchema: workflowMembers.inputSchema.default({ type: 'object' }),
    steps: workflowMembers.steps,
    output: workflowMembers.output.default(null),
  })
  .meta({ id: 'CreateWorkflowRequest' });

export const createWorkflow = defineRoute(
  {
    operationId: 'createWorkflow',
    method: 'post',
    path: '/v1/workflows',
    tags: ['Workflows'],
    summary: 'Create a workflow',
    description:
      'A sequence of tool calls that runs as one tool, under its slug, with a toolset that holds it. Expressions are parsed ' +
      'now: one that is not JSONata is a VALIDATION_ERROR that names it, such as `steps[0].when`. `onError: retry` (3 tries) ' +
      'is refused for a tool that is not idempotent. An account has at most 1000 workflows.',
    services: ['workflows'],
    permission: 'tools.write',
    body,
    passesOn: ['inputSchema', 'steps.*.fields', 'output'],
    response: workflowRecord,
    status: 201,
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  async ({ ctx, body: { inputSchema, output, ...sent }, services }) => {
    const { workflow } = await services.workflows.createWorkflow(ctx, {
      ...sent,
      inputSchemaJson: jsonBytes(inputSchema),
      outputJson: jsonBytes(output),
    });
    return presentWorkflow(required(workflow));
  },
);
