import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { fileParams } from './file-params.ts';

const MAX_TOKEN_LENGTH = 1_000;

export const downloadFile = defineRoute(
  {
    operationId: 'downloadFile',
    method: 'get',
    path: '/v1/files/{fileId}/content',
    tags: ['Files'],
    summary: 'Download a file',
    description:
      'Sends the content of a file to whoever has its signed address (`url`), always as an attachment. NOT_FOUND for a token that is not valid or no longer.',
    auth: 'anonymous',
    callsApplication: true,
    params: fileParams,
    resource: 'file',
    query: z.object({ token: z.string().min(1).max(MAX_TOKEN_LENGTH).optional().describe('As in `url`.') }),
    bytes: 'response',
  },
  // The file's token authorizes the download; the service that has the file checks it.
  () => Promise.resolve(undefined),
);
