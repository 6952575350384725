import { defineRoute } from '../define-route.ts';
import { toolsetParams } from './inputs.ts';

/** DELETE /v1/toolsets/{id} */
export const deleteToolset = defineRoute(
  {
    operationId: 'deleteToolset',
    method: 'delete',
    path: '/v1/toolsets/{id}',
    tags: ['Toolsets'],
    summary: 'Delete a toolset',
    description: 'Its connections and workflows stay.',
    auth: 'credential',
    services: ['toolsets'],
    permission: 'tools.write',
    params: toolsetParams,
    resource: 'toolset',
    errors: [],
  },
  async ({ ctx, params: { id }, services }) => {
    await services.toolsets.deleteToolset(ctx, { id });
    return undefined;
  },
);
