import { expect, it } from 'vitest';
import { shippedConnector } from '@fairlead/connector-runtime/testing/shipped-connector';
import type { ReceivedRequest, TestResponse } from '@fairlead/connector-runtime/testing/http-server';

const stripe = (respond: (request: ReceivedRequest, count: number) => TestResponse) =>
  shippedConnector('stripe', {
    origin: 'https://api.stripe.com',
    authenticationId: 0,
    fields: { apiKey: 'sk_test_1' },
    respond,
  });

it('writes lists and objects of a form by their indices and names', async () => {
  const { server, call } = await stripe(() => ({
    body: { id: 'plink_1', object: 'payment_link', url: 'u' },
  }));
  const lineItems = [
    { price: 'price_1', quantity: 2 },
    { price: 'price_2', quantity: 1 },
  ];
  expect(await call('stripe-create-payment-link', { lineItems })).toMatchObject({
    output: { id: 'plink_1', url: 'u' },
  });
  await call('stripe-create-customer', { name: 'Ada', metadata: { plan: 'a b' } });
  expect(server.requests.map(({ body }) => Object.fromEntries(new URLSearchParams(body)))).toEqual([
    {
      'line_items[0][price]': 'price_1',
      'line_items[0][quantity]': '2',
      'line_items[1][price]': 'price_2',
      'line_items[1][quantity]': '1',
    },
    { name: 'Ada', 'metadata[plan]': 'a b' },
  ]);
});

it('reads on after the last id while there is more', async () => {
  const { server, call } = await stripe(({ query }) => {
    const isFirst = !query.has('starting_after');
    return {
      body: { object: 'list', data: [{ id: isFirst ? 'ch_1' : 'ch_2', refunds: [] }], has_more: isFirst },
    };
  });
  expect(await call('stripe-list-charges', { created: { gte: 5 } }, { top: 10 })).toMatchObject({
    output: { items: [{ id: 'ch_1' }, { id: 'ch_2' }] },
  });
  expect(server.requests.map(({ query }) => Object.fromEntries(query))).toEqual([
    { 'created[gte]': '5', limit: '10' },
    { 'created[gte]': '5', limit: '10', starting_after: 'ch_1' },
  ]);
});

it('sends each condition as the parameter of its field and operator', async () => {
  const { server, call } = await stripe(() => ({ body: { object: 'list', data: [], has_more: false } }));
  const filters = [
    { field: 'customer', operator: 'eq', value: 'cus_1' },
    { field: 'created', operator: 'gte', value: 5 },
    { field: 'created', operator: 'lt', value: 9 },
  ] as const;
  expect(await call('stripe-list-charges', {}, { top: 10, filters })).toMatchObject({
    output: { items: [] },
  });
  expect(server.requests.map(({ query }) => Object.fromEntries(query))).toEqual([
    { customer: 'cus_1', 'created[gte]': '5', 'created[lt]': '9', limit: '10' },
  ]);
});

it('fails with Stripe’s message', async () => {
  const error = { type: 'invalid_request_error', message: "No such customer: 'cus_9'" };
  const { call } = await stripe(() => ({ status: 404, body: { error } }));
  expect(await call('stripe-get-customer', { id: 'cus_9' })).toMatchObject({
    errorMessage: "Stripe responded with 404: No such customer: 'cus_9'",
  });
});
