import { Client } from '@freshbooks/api';
import { PaginationQueryBuilder } from '@freshbooks/api/dist/models/builders/PaginationQueryBuilder.js';
import { SearchQueryBuilder } from '@freshbooks/api/dist/models/builders/SearchQueryBuilder.js';

const at = (url) => new Client('id', { accessToken: 'token', apiUrl: url, retryOptions: { retries: 0 } });
const search = () => new SearchQueryBuilder();
const firstPage = () => new PaginationQueryBuilder().page(1).perPage(50);

export const origin = 'https://api.freshbooks.com';
export const authenticationId = 0;
export const accessToken = 'token';
export const fields = { accountId: 'a1', businessId: 7 };
export const cases = [
  {
    tool: 'freshbooks-list-clients',
    input: { email: 'ada@example.com', vis_state: 0 },
    top: 50,
    sdk: (url) =>
      at(url).clients.list('a1', [
        search().equals('email', 'ada@example.com').equals('vis_state', 0),
        firstPage(),
      ]),
  },
  { tool: 'freshbooks-get-client', input: { id: 5 }, sdk: (url) => at(url).clients.single('a1', '5') },
  {
    tool: 'freshbooks-create-client',
    input: { organization: 'Acme', fname: 'Ada', email: 'ada@example.com', p_city: 'Paris' },
    sdk: (url) =>
      at(url).clients.create(
        { organization: 'Acme', fName: 'Ada', email: 'ada@example.com', pCity: 'Paris' },
        'a1',
      ),
  },
  {
    tool: 'freshbooks-update-client',
    input: { id: 5, note: 'Regular' },
    sdk: (url) => at(url).clients.update({ note: 'Regular' }, 'a1', '5'),
  },
  {
    tool: 'freshbooks-get-invoice-link',
    input: { id: 5 },
    sdk: (url) => at(url).invoices.shareLink('a1', '5'),
  },
  {
    tool: 'freshbooks-create-item',
    input: { name: 'Advice', unit_cost: '90.00', currency: 'EUR', sku: 'A1' },
    sdk: (url) =>
      at(url).items.create('a1', { name: 'Advice', unitCost: { amount: '90.00', code: 'EUR' }, sku: 'A1' }),
  },
  {
    tool: 'freshbooks-create-project',
    input: { title: 'Site', client_id: 5, project_type: 'fixed_price', fixed_price: '900' },
    sdk: (url) =>
      at(url).projects.create(
        { title: 'Site', clientId: 5, projectType: 'fixed_price', fixedPrice: '900' },
        7,
      ),
  },
  {
    tool: 'freshbooks-list-projects',
    input: {},
    top: 50,
    sdk: (url) => at(url).projects.list(7, [firstPage()]),
  },
  { tool: 'freshbooks-get-current-user', input: {}, sdk: (url) => at(url).users.me() },
];
