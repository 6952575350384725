import { Client } from '@hubspot/api-client';

const at = (url) => new Client({ accessToken: 'token', basePath: url, numberOfApiCallRetries: 0 }).crm;
const names = ['firstname', 'lastname'];

export const origin = 'https://api.hubapi.com';
export const authenticationId = 0;
export const fields = { accessToken: 'token' };
export const cases = [
  {
    tool: 'hubspot-get-company',
    input: { id: '7', properties: ['name'] },
    sdk: (url) => at(url).companies.basicApi.getById('7', ['name']),
  },
  {
    tool: 'hubspot-create-contact',
    input: { email: 'ada@example.com', firstname: 'Ada' },
    sdk: (url) =>
      at(url).contacts.basicApi.create({ properties: { email: 'ada@example.com', firstname: 'Ada' } }),
  },
  {
    tool: 'hubspot-update-deal',
    input: { id: '7', properties: { dealstage: 'closedwon' } },
    sdk: (url) => at(url).deals.basicApi.update('7', { properties: { dealstage: 'closedwon' } }),
  },
  {
    tool: 'hubspot-delete-company',
    input: { id: '7' },
    sdk: (url) => at(url).companies.basicApi.archive('7'),
  },
  {
    tool: 'hubspot-search-contacts',
    input: { query: 'Ada', properties: names },
    top: 50,
    sdk: (url) => at(url).contacts.searchApi.doSearch({ query: 'Ada', properties: names, limit: 50 }),
  },
  {
    tool: 'hubspot-merge-contacts',
    input: { primaryId: '1', otherId: '2' },
    sdk: (url) => at(url).contacts.basicApi.merge({ primaryObjectId: '1', objectIdToMerge: '2' }),
  },
  {
    tool: 'hubspot-list-pipelines',
    input: { objectType: 'deals' },
    sdk: (url) => at(url).pipelines.pipelinesApi.getAll('deals'),
  },
  {
    tool: 'hubspot-list-properties',
    input: { objectType: 'contacts' },
    sdk: (url) => at(url).properties.coreApi.getAll('contacts'),
  },
  {
    tool: 'hubspot-associate-records',
    input: { fromType: 'notes', id: '1', toType: 'contacts', toId: '2' },
    sdk: (url) => at(url).associations.v4.basicApi.createDefault('notes', '1', 'contacts', '2'),
  },
];
