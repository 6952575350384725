import { defineRoute } from '../define-route.ts';
import { toolsetParams } from './inputs.ts';

export const deleteToolset = defineRoute(
  {
    operationId: 'deleteToolset',
    method: 'delete',
    path: '/v1/toolsets/{id}',
    tags: ['Toolsets'],
    summary: 'Delete a toolset',
    description: 'Its connections and workflows stay. API keys that are confined to it end.',
    services: ['toolsets', 'apiKeys'],
    permission: 'tools.write',
    params: toolsetParams,
    resource: 'toolset',
  },
  async ({ ctx, params: { id }, services }) => {
    await services.toolsets.getToolset(ctx, { id });
    // Keys are revoked first: if the rest fails, no key outlives the toolset.
    await services.apiKeys.endToolsetKeys(ctx, { toolsetId: id });
    await services.toolsets.deleteToolset(ctx, { id });
    return undefined;
  },
);
