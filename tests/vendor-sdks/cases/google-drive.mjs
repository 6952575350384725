import { drive } from '@googleapis/drive';

const at = (url) => drive({ version: 'v3', rootUrl: `${url}/`, retry: false });

export const origin = 'https://www.googleapis.com';
export const authenticationId = 0;
export const accessToken = 'token';
// Our calls ask for the members that they return.
export const ignored = ['fields'];
export const cases = [
  {
    tool: 'google-drive-get-file',
    input: { fileId: 'f1' },
    sdk: (url) => at(url).files.get({ fileId: 'f1', supportsAllDrives: true }),
  },
  {
    tool: 'google-drive-copy-file',
    input: { fileId: 'f1', name: 'Copy' },
    sdk: (url) =>
      at(url).files.copy({ fileId: 'f1', supportsAllDrives: true, requestBody: { name: 'Copy' } }),
  },
  {
    tool: 'google-drive-delete-file',
    input: { fileId: 'f1' },
    sdk: (url) => at(url).files.delete({ fileId: 'f1', supportsAllDrives: true }),
  },
  {
    tool: 'google-drive-create-comment',
    input: { fileId: 'f1', content: 'Nice' },
    sdk: (url) => at(url).comments.create({ fileId: 'f1', requestBody: { content: 'Nice' } }),
  },
  {
    tool: 'google-drive-unshare-file',
    input: { fileId: 'f1', permissionId: 'p1' },
    sdk: (url) => at(url).permissions.delete({ fileId: 'f1', permissionId: 'p1', supportsAllDrives: true }),
  },
  {
    tool: 'google-drive-get-shared-drive',
    input: { driveId: 'd1' },
    sdk: (url) => at(url).drives.get({ driveId: 'd1' }),
  },
  {
    tool: 'google-drive-delete-comment',
    input: { fileId: 'f1', commentId: 'c1' },
    sdk: (url) => at(url).comments.delete({ fileId: 'f1', commentId: 'c1' }),
  },
];
