import Razorpay from 'razorpay';

function at(url) {
  const client = new Razorpay({ key_id: 'key', key_secret: 'secret' });
  client.api.rq.defaults.baseURL = url;
  return client;
}

export const origin = 'https://api.razorpay.com';
export const authenticationId = 1;
export const fields = { keyId: 'key', keySecret: 'secret' };
export const cases = [
  {
    tool: 'razorpay-list-orders',
    input: { from: 1700000000, to: 1700000100, receipt: 'r1' },
    top: 50,
    sdk: (url) => at(url).orders.all({ from: 1700000000, to: 1700000100, receipt: 'r1', count: 50 }),
  },
  { tool: 'razorpay-get-order', input: { order_id: 'o1' }, sdk: (url) => at(url).orders.fetch('o1') },
  {
    tool: 'razorpay-create-order',
    input: { amount: 500, currency: 'INR', receipt: 'r1', partial_payment: true },
    sdk: (url) =>
      at(url).orders.create({ amount: 500, currency: 'INR', receipt: 'r1', partial_payment: true }),
  },
  {
    tool: 'razorpay-list-order-payments',
    input: { order_id: 'o1' },
    sdk: (url) => at(url).orders.fetchPayments('o1'),
  },
  {
    tool: 'razorpay-capture-payment',
    input: { payment_id: 'p1', amount: 500, currency: 'INR' },
    sdk: (url) => at(url).payments.capture('p1', 500, 'INR'),
  },
  {
    tool: 'razorpay-update-payment',
    input: { payment_id: 'p1', notes: { team: 'sales' } },
    sdk: (url) => at(url).payments.edit('p1', { notes: { team: 'sales' } }),
  },
  {
    tool: 'razorpay-refund-payment',
    input: { payment_id: 'p1', amount: 100, speed: 'optimum' },
    sdk: (url) => at(url).payments.refund('p1', { amount: 100, speed: 'optimum' }),
  },
  {
    tool: 'razorpay-cancel-payment-link',
    input: { payment_link_id: 'l1' },
    sdk: (url) => at(url).paymentLink.cancel('l1'),
  },
  {
    tool: 'razorpay-update-customer',
    input: { customer_id: 'c1', name: 'Ada' },
    sdk: (url) => at(url).customers.edit('c1', { name: 'Ada' }),
  },
  {
    tool: 'razorpay-create-plan',
    input: { period: 'monthly', interval: 1, name: 'Basic', amount: 900, currency: 'INR' },
    sdk: (url) =>
      at(url).plans.create({
        period: 'monthly',
        interval: 1,
        item: { name: 'Basic', amount: 900, currency: 'INR' },
      }),
  },
  {
    tool: 'razorpay-list-settlement-rows',
    input: { year: 2026, month: 5 },
    top: 50,
    sdk: (url) => at(url).settlements.reports({ year: 2026, month: 5, count: 50, skip: 0 }),
  },
];
