import { z } from 'zod';
import { text } from '@fairlead/rest-kit/fields';
import { fileRecord, presentFile } from '@fairlead/rest-records/file';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';

export const uploadFile = defineRoute(
  {
    operationId: 'uploadFile',
    method: 'post',
    path: '/v1/files',
    tags: ['Files'],
    summary: 'Upload a file',
    description:
      'Stores a file of at most 50 MiB for seven days: the part `file` of a multipart form, or the body itself with its Content-Type. ' +
      'With an Idempotency-Key, calls are compared by the content, name and type of the file.',
    services: ['files'],
    permission: 'tools.execute',
    toolsetKeys: 'any',
    callsApplication: true,
    resource: 'file',
    query: z.object({
      name: text(1, 255)
        .optional()
        .describe('Name of the file. Default: that of the form or of the Content-Disposition header.'),
    }),
    bytes: 'request',
    response: fileRecord,
    status: 201,
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  async ({ ctx, uploaded, services }) => {
    const { fileId } = required(uploaded);
    const { file } = await services.files.commitFile(ctx, { fileId });
    return presentFile(required(file));
  },
);
