import { Client } from '@microsoft/microsoft-graph-client';

const at = (url) => Client.init({ baseUrl: `${url}/`, authProvider: (done) => done(null, 'token') });

export const origin = 'https://graph.microsoft.com';
export const authenticationId = 0;
export const accessToken = 'token';
export const cases = [
  { tool: 'sharepoint-get-site', input: { site: 's1' }, sdk: (url) => at(url).api('/sites/s1').get() },
  {
    tool: 'sharepoint-get-item',
    input: { site: 's1', list: 'l1', id: '7' },
    sdk: (url) => at(url).api('/sites/s1/lists/l1/items/7').expand('fields').get(),
  },
  {
    tool: 'sharepoint-create-item',
    input: { site: 's1', list: 'l1', fields: { Title: 'Plan' } },
    sdk: (url) =>
      at(url)
        .api('/sites/s1/lists/l1/items')
        .post({ fields: { Title: 'Plan' } }),
  },
  {
    tool: 'sharepoint-update-item',
    input: { site: 's1', list: 'l1', id: '7', fields: { Title: 'Plan' } },
    sdk: (url) => at(url).api('/sites/s1/lists/l1/items/7/fields').patch({ Title: 'Plan' }),
  },
  {
    tool: 'sharepoint-delete-item',
    input: { site: 's1', list: 'l1', id: '7' },
    sdk: (url) => at(url).api('/sites/s1/lists/l1/items/7').delete(),
  },
  {
    tool: 'sharepoint-get-file',
    input: { library: 'd1', id: 'f1' },
    sdk: (url) => at(url).api('/drives/d1/items/f1').get(),
  },
];
