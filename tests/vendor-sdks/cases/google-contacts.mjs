import { people } from '@googleapis/people';

const at = (url) => people({ version: 'v1', rootUrl: `${url}/`, retry: false });

const personFields =
  'names,nicknames,emailAddresses,phoneNumbers,addresses,organizations,birthdays,biographies,urls,memberships,metadata';

export const origin = 'https://people.googleapis.com';
export const authenticationId = 0;
export const accessToken = 'token';
// Our calls ask for the members that they return.
export const ignored = ['fields'];
export const cases = [
  {
    tool: 'google-contacts-search-contacts',
    input: { query: 'ada' },
    sdk: (url) => at(url).people.searchContacts({ query: 'ada', pageSize: 10, readMask: personFields }),
  },
  {
    tool: 'google-contacts-get-contact',
    input: { id: 'c1' },
    sdk: (url) => at(url).people.get({ resourceName: 'people/c1', personFields }),
  },
  {
    tool: 'google-contacts-delete-contact',
    input: { id: 'c1' },
    sdk: (url) => at(url).people.deleteContact({ resourceName: 'people/c1' }),
  },
  {
    tool: 'google-contacts-get-contacts',
    input: { resourceNames: ['people/c1', 'people/c2'] },
    sdk: (url) => at(url).people.getBatchGet({ resourceNames: ['people/c1', 'people/c2'], personFields }),
  },
  {
    tool: 'google-contacts-delete-contacts',
    input: { resourceNames: ['people/c1'] },
    sdk: (url) => at(url).people.batchDeleteContacts({ requestBody: { resourceNames: ['people/c1'] } }),
  },
  {
    tool: 'google-contacts-create-contact',
    input: { names: [{ givenName: 'Ada' }] },
    sdk: (url) =>
      at(url).people.createContact({ personFields, requestBody: { names: [{ givenName: 'Ada' }] } }),
  },
];
