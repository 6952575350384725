import { Client } from '@microsoft/microsoft-graph-client';

const at = (url) => Client.init({ baseUrl: `${url}/`, authProvider: (done) => done(null, 'token') });

export const origin = 'https://graph.microsoft.com';
export const authenticationId = 0;
export const accessToken = 'token';
export const cases = [
  { tool: 'onedrive-get-file', input: { id: 'f1' }, sdk: (url) => at(url).api('/me/drive/items/f1').get() },
  {
    tool: 'onedrive-update-file',
    input: { id: 'f1', name: 'New' },
    sdk: (url) => at(url).api('/me/drive/items/f1').patch({ name: 'New' }),
  },
  {
    tool: 'onedrive-delete-file',
    input: { id: 'f1' },
    sdk: (url) => at(url).api('/me/drive/items/f1').delete(),
  },
  {
    tool: 'onedrive-copy-file',
    input: { id: 'f1', folder: 'd1' },
    sdk: (url) =>
      at(url)
        .api('/me/drive/items/f1/copy')
        .post({ parentReference: { id: 'd1' } }),
  },
  {
    tool: 'onedrive-create-sharing-link',
    input: { id: 'f1', type: 'view' },
    sdk: (url) => at(url).api('/me/drive/items/f1/createLink').post({ type: 'view' }),
  },
  {
    tool: 'onedrive-remove-permission',
    input: { id: 'f1', permission: 'p1' },
    sdk: (url) => at(url).api('/me/drive/items/f1/permissions/p1').delete(),
  },
];
