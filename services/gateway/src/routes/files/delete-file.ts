import { defineRoute } from '../define-route.ts';
import { fileParams } from './file-params.ts';

export const deleteFile = defineRoute(
  {
    operationId: 'deleteFile',
    method: 'delete',
    path: '/v1/files/{fileId}',
    tags: ['Files'],
    summary: 'Delete a file',
    services: ['files'],
    permission: 'tools.execute',
    toolsetKeys: 'any',
    params: fileParams,
    resource: 'file',
  },
  async ({ ctx, params, services }) => {
    await services.files.deleteFile(ctx, params);
    return undefined;
  },
);
