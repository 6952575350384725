import Stripe from 'stripe';

const at = (url) => {
  const { hostname, port } = new URL(url);
  return new Stripe('sk_test_1', { host: hostname, port, protocol: 'http', maxNetworkRetries: 0 });
};

export const origin = 'https://api.stripe.com';
export const authenticationId = 0;
export const fields = { apiKey: 'sk_test_1' };
export const cases = [
  { tool: 'stripe-get-customer', input: { id: 'cus_1' }, sdk: (url) => at(url).customers.retrieve('cus_1') },
  {
    tool: 'stripe-create-customer',
    input: { name: 'Ada', metadata: { plan: 'a b' } },
    sdk: (url) => at(url).customers.create({ name: 'Ada', metadata: { plan: 'a b' } }),
  },
  {
    tool: 'stripe-update-customer',
    input: { id: 'cus_1', email: 'ada@example.com' },
    sdk: (url) => at(url).customers.update('cus_1', { email: 'ada@example.com' }),
  },
  { tool: 'stripe-send-invoice', input: { id: 'in_1' }, sdk: (url) => at(url).invoices.sendInvoice('in_1') },
  {
    tool: 'stripe-create-refund',
    input: { charge: 'ch_1', amount: 100, reason: 'duplicate' },
    sdk: (url) => at(url).refunds.create({ charge: 'ch_1', amount: 100, reason: 'duplicate' }),
  },
  { tool: 'stripe-get-balance', input: {}, sdk: (url) => at(url).balance.retrieve() },
  {
    tool: 'stripe-create-payment-link',
    input: { lineItems: [{ price: 'price_1', quantity: 2 }] },
    sdk: (url) => at(url).paymentLinks.create({ line_items: [{ price: 'price_1', quantity: 2 }] }),
  },
  {
    tool: 'stripe-cancel-subscription',
    input: { id: 'sub_1' },
    sdk: (url) => at(url).subscriptions.cancel('sub_1'),
  },
];
