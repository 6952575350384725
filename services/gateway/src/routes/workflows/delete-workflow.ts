import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { workflowParams } from './inputs.ts';

export const deleteWorkflow = defineRoute(
  {
    operationId: 'deleteWorkflow',
    method: 'delete',
    path: '/v1/workflows/{workflowToken}',
    tags: ['Workflows'],
    summary: 'Delete a workflow',
    description:
      'Refused while a toolset holds it; `candidates` names those as `toolset:<id>`. Runs that are under way go on.',
    services: ['workflows'],
    permission: 'tools.write',
    params: workflowParams,
    query: z.object({
      force: z
        .boolean()
        .default(false)
        .describe('Deletes it even if a toolset holds it, and removes it there.'),
    }),
    resource: 'workflow',
    errors: ['CONFLICT'],
  },
  async ({ ctx, params: { workflowToken }, query: { force }, services }) => {
    await services.workflows.deleteWorkflow(ctx, { workflowToken, force });
    return undefined;
  },
);
