import { WebflowClient } from 'webflow-api';

const at = (url) =>
  new WebflowClient({
    accessToken: 'token',
    environment: { base: `${url}/v2`, dataApi: `${url}/v2`, contentDeliveryApi: `${url}/v2` },
    maxRetries: 0,
  });

export const origin = 'https://api.webflow.com';
export const authenticationId = 1;
export const fields = { accessToken: 'token' };
export const cases = [
  { tool: 'webflow-list-sites', input: {}, sdk: (url) => at(url).sites.list() },
  { tool: 'webflow-get-site', input: { site_id: 's1' }, sdk: (url) => at(url).sites.get('s1') },
  {
    tool: 'webflow-publish-site',
    input: { site_id: 's1', customDomains: ['d1'] },
    sdk: (url) => at(url).sites.publish('s1', { customDomains: ['d1'], publishToWebflowSubdomain: true }),
  },
  {
    tool: 'webflow-get-collection',
    input: { collection_id: 'c1' },
    sdk: (url) => at(url).collections.get('c1'),
  },
  {
    tool: 'webflow-create-item',
    input: { collection_id: 'c1', fieldData: { name: 'First', slug: 'first' } },
    sdk: (url) =>
      at(url).collections.items.createItem('c1', {
        fieldData: { name: 'First', slug: 'first' },
        isDraft: false,
      }),
  },
  {
    tool: 'webflow-update-item',
    input: { collection_id: 'c1', item_id: 'i1', fieldData: { name: 'Second', slug: 'second' } },
    sdk: (url) =>
      at(url).collections.items.updateItem('c1', 'i1', { fieldData: { name: 'Second', slug: 'second' } }),
  },
  {
    tool: 'webflow-delete-item',
    input: { collection_id: 'c1', item_id: 'i1' },
    sdk: (url) => at(url).collections.items.deleteItem('c1', 'i1'),
  },
  {
    tool: 'webflow-publish-items',
    input: { collection_id: 'c1', itemIds: ['i1'] },
    sdk: (url) => at(url).collections.items.publishItem('c1', { itemIds: ['i1'] }),
  },
];
