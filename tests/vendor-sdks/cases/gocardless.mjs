import { GoCardlessClient } from 'gocardless-nodejs';

function at(url) {
  const client = new GoCardlessClient('token');
  client._api._baseUrl = url;
  return client;
}

export const origin = 'https://api.gocardless.com';
export const authenticationId = 1;
export const fields = { accessToken: 'token' };
export const cases = [
  {
    tool: 'gocardless-list-payments',
    input: { customer: 'CU1', status: 'confirmed', created_after: '2026-01-01T00:00:00Z' },
    top: 50,
    sdk: (url) =>
      at(url).payments.list({
        customer: 'CU1',
        status: 'confirmed',
        created_at: { gte: '2026-01-01T00:00:00Z' },
        limit: 50,
      }),
  },
  { tool: 'gocardless-get-customer', input: { id: 'CU1' }, sdk: (url) => at(url).customers.find('CU1') },
  {
    tool: 'gocardless-create-customer',
    input: { email: 'ada@example.com', given_name: 'Ada', country_code: 'GB' },
    sdk: (url) =>
      at(url).customers.create({ email: 'ada@example.com', given_name: 'Ada', country_code: 'GB' }),
  },
  {
    tool: 'gocardless-update-customer',
    input: { id: 'CU1', city: 'London' },
    sdk: (url) => at(url).customers.update('CU1', { city: 'London' }),
  },
  {
    tool: 'gocardless-create-billing-request',
    input: { mandate_currency: 'GBP', mandate_scheme: 'bacs', customer: 'CU1' },
    sdk: (url) =>
      at(url).billingRequests.create({
        mandate_request: { currency: 'GBP', scheme: 'bacs' },
        links: { customer: 'CU1' },
      }),
  },
  {
    tool: 'gocardless-create-billing-request-flow',
    input: { billing_request: 'BRQ1', redirect_uri: 'https://example.com/done' },
    sdk: (url) =>
      at(url).billingRequestFlows.create({
        links: { billing_request: 'BRQ1' },
        redirect_uri: 'https://example.com/done',
      }),
  },
  {
    tool: 'gocardless-create-payment',
    input: { amount: 1000, currency: 'GBP', mandate: 'MD1', retry_if_possible: true },
    sdk: (url) =>
      at(url).payments.create({
        amount: 1000,
        currency: 'GBP',
        links: { mandate: 'MD1' },
        retry_if_possible: true,
      }),
  },
  {
    tool: 'gocardless-retry-payment',
    input: { id: 'PM1', charge_date: '2026-06-01' },
    sdk: (url) => at(url).payments.retry('PM1', { charge_date: '2026-06-01' }),
  },
  {
    tool: 'gocardless-pause-subscription',
    input: { id: 'SB1', pause_cycles: 2 },
    sdk: (url) => at(url).subscriptions.pause('SB1', { pause_cycles: 2 }),
  },
  {
    tool: 'gocardless-list-payout-items',
    input: { payout: 'PO1' },
    top: 50,
    sdk: (url) => at(url).payoutItems.list({ payout: 'PO1', limit: 50 }),
  },
];
