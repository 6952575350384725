import { fileRecord, presentFile } from '@fairlead/rest-records/file';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { fileParams } from './file-params.ts';

export const getFile = defineRoute(
  {
    operationId: 'getFile',
    method: 'get',
    path: '/v1/files/{fileId}',
    tags: ['Files'],
    summary: 'Get a file',
    description: 'Returns what is known of the file, with a new address to download it from.',
    services: ['files'],
    permission: 'tools.execute',
    toolsetKeys: 'any',
    params: fileParams,
    resource: 'file',
    response: fileRecord,
  },
  async ({ ctx, params, services }) =>
    presentFile(required((await services.files.getFile(ctx, params)).file)),
);
