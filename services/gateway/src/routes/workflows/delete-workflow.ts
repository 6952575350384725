import { ApiError } from '@fairlead/errors/api-error';
import { detachedContext } from '@fairlead/service-kit/context/detached-context';
import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { workflowParams } from './inputs.ts';

const TIMEOUT_MS = 30_000;

export const deleteWorkflow = defineRoute(
  {
    operationId: 'deleteWorkflow',
    method: 'delete',
    path: '/v1/workflows/{workflowToken}',
    tags: ['Workflows'],
    summary: 'Delete a workflow',
    description:
      'Refused while a toolset or an MCP server holds it; `candidates` names those as `toolset:<id>` and `mcpServer:<name>`. Runs that ' +
      'are under way go on.',
    services: ['workflows', 'workflowUses'],
    permission: 'tools.write',
    params: workflowParams,
    query: z.object({
      force: z
        .boolean()
        .default(false)
        .describe('Deletes it even if a toolset or an MCP server holds it, and removes it there.'),
    }),
    resource: 'workflow',
    errors: ['CONFLICT'],
  },
  async ({ ctx, params: { workflowToken }, query: { force }, services }) => {
    const { workflows, workflowUses } = services;
    if (!force) {
      const uses = await workflowUses.list(ctx, workflowToken);
      if (uses.length > 0) {
        // NOT_FOUND if the workflow is already deleted: a record that was written concurrently may still use it.
        await workflows.getWorkflow(ctx, { workflowToken });
        throw new ApiError(
          'CONFLICT',
          `The workflow is used by ${uses.join(', ')}. With force=true it is deleted and removed from them.`,
          { candidates: uses },
        );
      }
    }
    // Continues if the caller disconnects: no MCP server should keep a deleted workflow.
    const lasting = detachedContext(ctx, TIMEOUT_MS);
    try {
      await workflows.deleteWorkflow(lasting, { workflowToken, force });
    } catch (error) {
      // An earlier deletion may have ended before the uses were removed.
      if (error instanceof ApiError && error.code === 'NOT_FOUND')
        await workflowUses.remove(lasting, workflowToken);
      throw error;
    }
    await workflowUses.remove(lasting, workflowToken);
    return undefined;
  },
);
