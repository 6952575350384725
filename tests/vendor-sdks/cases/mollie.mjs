import { Client } from 'mollie-api-typescript';

const at = (url) =>
  new Client({ serverURL: url, security: { apiKey: 'test_1' }, retryConfig: { strategy: 'none' } });

export const origin = 'https://api.mollie.com';
export const authenticationId = 1;
export const fields = { apiKey: 'test_1' };
export const cases = [
  {
    tool: 'mollie-create-payment',
    input: {
      currency: 'EUR',
      value: '10.00',
      description: 'Order 1',
      redirectUrl: 'https://shop.example/done',
    },
    sdk: (url) =>
      at(url).payments.create({
        paymentRequest: {
          amount: { currency: 'EUR', value: '10.00' },
          description: 'Order 1',
          redirectUrl: 'https://shop.example/done',
        },
      }),
  },
  {
    tool: 'mollie-get-payment',
    input: { payment_id: 'tr_1' },
    sdk: (url) => at(url).payments.get({ paymentId: 'tr_1' }),
  },
  {
    tool: 'mollie-cancel-payment',
    input: { payment_id: 'tr_1' },
    sdk: (url) => at(url).payments.cancel({ paymentId: 'tr_1' }),
  },
  {
    tool: 'mollie-create-refund',
    input: { payment_id: 'tr_1', currency: 'EUR', value: '5.00', description: 'Broken' },
    sdk: (url) =>
      at(url).refunds.create({
        paymentId: 'tr_1',
        refundRequest: { amount: { currency: 'EUR', value: '5.00' }, description: 'Broken' },
      }),
  },
  {
    tool: 'mollie-create-customer',
    input: { name: 'Ada', email: 'ada@example.com' },
    sdk: (url) => at(url).customers.create({ entityCustomer: { name: 'Ada', email: 'ada@example.com' } }),
  },
  {
    tool: 'mollie-get-customer',
    input: { customer_id: 'cst_1' },
    sdk: (url) => at(url).customers.get({ customerId: 'cst_1' }),
  },
  {
    tool: 'mollie-create-subscription',
    input: {
      customer_id: 'cst_1',
      currency: 'EUR',
      value: '25.00',
      interval: '1 month',
      description: 'Plan',
      times: 4,
    },
    sdk: (url) =>
      at(url).subscriptions.create({
        customerId: 'cst_1',
        subscriptionRequest: {
          amount: { currency: 'EUR', value: '25.00' },
          interval: '1 month',
          description: 'Plan',
          times: 4,
        },
      }),
  },
  {
    tool: 'mollie-cancel-subscription',
    input: { customer_id: 'cst_1', subscription_id: 'sub_1' },
    sdk: (url) => at(url).subscriptions.cancel({ customerId: 'cst_1', subscriptionId: 'sub_1' }),
  },
];
