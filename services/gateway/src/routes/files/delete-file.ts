import { defineRoute } from '../define-route.ts';
import { fileParams } from './file-params.ts';

/** DELETE /v1/files/{fileId} */
export const deleteFile = defineRoute(
  {
    operationId: 'deleteFile',
    method: 'delete',
    path: '/v1/files/{fileId}',
    tags: ['Files'],
    summary: 'Delete a file',
    auth: 'credential',
    services: ['files'],
    permission: 'tools.execute',
    toolsetKeys: 'any',
    params: fileParams,
    resource: 'file',
    errors: [],
  },
  async ({ ctx, params, services }) => {
    await services.files.deleteFile(ctx, params);
    return undefined;
  },
);
