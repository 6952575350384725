import { ApiError } from '@fairlead/errors/api-error';
import { detachedContext } from '@fairlead/service-kit/context/detached-context';
import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { agentParams } from './inputs.ts';

/** Long enough to wait for an application that does not answer. */
const TIMEOUT_MS = 60_000;

export const deleteOnPremAgent = defineRoute(
  {
    operationId: 'deleteOnPremAgent',
    method: 'delete',
    path: '/v1/on-prem-agents/{id}',
    tags: ['On-prem agents'],
    summary: 'Delete an on-prem agent',
    description:
      'Its token is worth nothing at once. A deleted default is not replaced. Refused while an enabled trigger, a toolset or an MCP server uses it: `candidates` names the uses.',
    services: ['agents', 'connectionUses'],
    permission: 'agents.write',
    params: agentParams,
    query: z.object({
      force: z
        .boolean()
        .default(false)
        .describe(
          'Deletes it even if a trigger, toolset or MCP server uses it: triggers are disabled, and the others lose it.',
        ),
    }),
    resource: 'on-prem agent',
    callsApplication: true,
    errors: ['CONNECTION_IN_USE'],
  },
  async ({ ctx, params: { id }, query: { force }, services }) => {
    const { agents, connectionUses } = services;
    await agents.getAgent(ctx, { id });
    const uses = force ? [] : await connectionUses.list(ctx, id);
    if (uses.length > 0)
      throw new ApiError(
        'CONNECTION_IN_USE',
        `On-prem agent ${id} is used by ${uses.join(', ')}. With force=true it is deleted and removed from them.`,
        { candidates: uses },
      );
    // Continues if the caller disconnects: otherwise triggers that are disabled for the deletion would stay disabled.
    const lasting = detachedContext(ctx, TIMEOUT_MS);
    await connectionUses.release(lasting, [id]);
    await agents.deleteAgent(lasting, { id });
    await connectionUses.remove(lasting, [id]);
    return undefined;
  },
);
