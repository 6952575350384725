import { admin } from '@googleapis/admin';

const at = (url) => admin({ version: 'directory_v1', rootUrl: `${url}/`, retry: false });

export const origin = 'https://admin.googleapis.com';
export const authenticationId = 0;
export const accessToken = 'token';
export const cases = [
  {
    tool: 'google-directory-list-users',
    input: { query: 'givenName:Ada', orderBy: 'email' },
    top: 50,
    sdk: (url) =>
      at(url).users.list({
        customer: 'my_customer',
        query: 'givenName:Ada',
        orderBy: 'email',
        maxResults: 50,
      }),
  },
  {
    tool: 'google-directory-get-user',
    input: { user: 'ada@example.com' },
    sdk: (url) => at(url).users.get({ userKey: 'ada@example.com' }),
  },
  {
    tool: 'google-directory-set-user-suspended',
    input: { user: 'ada@example.com', suspended: true },
    sdk: (url) => at(url).users.patch({ userKey: 'ada@example.com', requestBody: { suspended: true } }),
  },
  {
    tool: 'google-directory-set-user-admin',
    input: { user: 'ada@example.com', isAdmin: true },
    sdk: (url) => at(url).users.makeAdmin({ userKey: 'ada@example.com', requestBody: { status: true } }),
  },
  {
    tool: 'google-directory-create-group',
    input: { email: 'sales@example.com', name: 'Sales' },
    sdk: (url) => at(url).groups.insert({ requestBody: { email: 'sales@example.com', name: 'Sales' } }),
  },
  {
    tool: 'google-directory-add-member',
    input: { group: 'sales@example.com', email: 'ada@example.com', role: 'MANAGER' },
    sdk: (url) =>
      at(url).members.insert({
        groupKey: 'sales@example.com',
        requestBody: { email: 'ada@example.com', role: 'MANAGER' },
      }),
  },
  {
    tool: 'google-directory-check-member',
    input: { group: 'sales@example.com', member: 'ada@example.com' },
    sdk: (url) => at(url).members.hasMember({ groupKey: 'sales@example.com', memberKey: 'ada@example.com' }),
  },
  {
    tool: 'google-directory-list-org-units',
    input: {},
    sdk: (url) => at(url).orgunits.list({ customerId: 'my_customer', type: 'all' }),
  },
];
