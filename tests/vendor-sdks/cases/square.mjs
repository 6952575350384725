import { SquareClient } from 'square';

const at = (url) => new SquareClient({ token: 'token', environment: url, maxRetries: 0 });

export const origin = 'https://connect.squareup.com';
export const authenticationId = 1;
export const fields = { accessToken: 'token' };
export const cases = [
  { tool: 'square-list-locations', input: {}, sdk: (url) => at(url).locations.list() },
  {
    tool: 'square-get-payment',
    input: { payment_id: 'p1' },
    sdk: (url) => at(url).payments.get({ paymentId: 'p1' }),
  },
  {
    tool: 'square-refund-payment',
    input: { idempotency_key: 'k1', payment_id: 'p1', amount: 100, currency: 'USD', reason: 'Broken' },
    sdk: (url) =>
      at(url).refunds.refundPayment({
        idempotencyKey: 'k1',
        paymentId: 'p1',
        amountMoney: { amount: 100n, currency: 'USD' },
        reason: 'Broken',
      }),
  },
  {
    tool: 'square-create-customer',
    input: { given_name: 'Ada', email_address: 'ada@example.com' },
    sdk: (url) => at(url).customers.create({ givenName: 'Ada', emailAddress: 'ada@example.com' }),
  },
  {
    tool: 'square-update-customer',
    input: { customer_id: 'c1', note: 'Regular' },
    sdk: (url) => at(url).customers.update({ customerId: 'c1', note: 'Regular' }),
  },
  {
    tool: 'square-delete-customer',
    input: { customer_id: 'c1' },
    sdk: (url) => at(url).customers.delete({ customerId: 'c1' }),
  },
  {
    tool: 'square-get-order',
    input: { order_id: 'o1' },
    sdk: (url) => at(url).orders.get({ orderId: 'o1' }),
  },
  {
    tool: 'square-publish-invoice',
    input: { invoice_id: 'i1', version: 1, idempotency_key: 'k1' },
    sdk: (url) => at(url).invoices.publish({ invoiceId: 'i1', version: 1, idempotencyKey: 'k1' }),
  },
];
