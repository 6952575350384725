import { drive } from '@googleapis/drive';

const at = (url) => drive({ version: 'v3', rootUrl: `${url}/`, retry: false });

export const origin = 'https://www.googleapis.com';
export const authenticationId = 0;
export const accessToken = 'token';
// Our calls ask for the members that they return.
export const ignored = ['fields'];
export const cases = [
  {
    tool: 'google-docs-export-document',
    input: { documentId: 'd1' },
    sdk: (url) => at(url).files.export({ fileId: 'd1', mimeType: 'text/markdown' }),
  },
  {
    tool: 'google-docs-copy-document',
    input: { documentId: 'd1', name: 'Copy' },
    sdk: (url) =>
      at(url).files.copy({ fileId: 'd1', supportsAllDrives: true, requestBody: { name: 'Copy' } }),
  },
  {
    tool: 'google-docs-move-document',
    input: { documentId: 'd1', addParents: 'p1', name: 'Plan' },
    sdk: (url) =>
      at(url).files.update({
        fileId: 'd1',
        addParents: 'p1',
        supportsAllDrives: true,
        requestBody: { name: 'Plan' },
      }),
  },
  {
    tool: 'google-docs-share-document',
    input: { documentId: 'd1', type: 'user', emailAddress: 'ada@example.com' },
    sdk: (url) =>
      at(url).permissions.create({
        fileId: 'd1',
        supportsAllDrives: true,
        requestBody: { type: 'user', role: 'reader', emailAddress: 'ada@example.com' },
      }),
  },
  {
    tool: 'google-docs-reply-to-comment',
    input: { documentId: 'd1', commentId: 'c1', content: 'Yes' },
    sdk: (url) => at(url).replies.create({ fileId: 'd1', commentId: 'c1', requestBody: { content: 'Yes' } }),
  },
];
