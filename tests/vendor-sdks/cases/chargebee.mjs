import Chargebee from 'chargebee';

function at(url) {
  const { hostname, port } = new URL(url);
  return new Chargebee({ site: hostname, apiKey: 'key', protocol: 'http', hostSuffix: '', port });
}

export const origin = 'https://{{field.site}}.chargebee.com';
export const authenticationId = 0;
export const fields = { site: 'acme', apiKey: 'key' };
export const cases = [
  {
    tool: 'chargebee-list-customers',
    input: { email: 'ada@example.com', created_after: 1700000000 },
    top: 50,
    sdk: (url) =>
      at(url).customer.list({
        email: { is: 'ada@example.com' },
        created_at: { after: 1700000000 },
        limit: 50,
      }),
  },
  {
    tool: 'chargebee-create-customer',
    input: { first_name: 'Ada', email: 'ada@example.com', billing_address: { city: 'Paris', country: 'FR' } },
    sdk: (url) =>
      at(url).customer.create({
        first_name: 'Ada',
        email: 'ada@example.com',
        billing_address: { city: 'Paris', country: 'FR' },
      }),
  },
  {
    tool: 'chargebee-update-customer-address',
    input: { customer_id: 'c1', billing_address: { city: 'Paris' }, vat_number: 'FR1' },
    sdk: (url) =>
      at(url).customer.updateBillingInfo('c1', { billing_address: { city: 'Paris' }, vat_number: 'FR1' }),
  },
  {
    tool: 'chargebee-create-subscription',
    input: { customer_id: 'c1', item_price_id: 'basic-EUR', quantity: 2, coupon_id: 'SPRING' },
    sdk: (url) =>
      at(url).subscription.createWithItems('c1', {
        subscription_items: [{ item_price_id: 'basic-EUR', quantity: 2 }],
        coupon_ids: ['SPRING'],
      }),
  },
  {
    tool: 'chargebee-cancel-subscription',
    input: { subscription_id: 's1', end_of_term: true },
    sdk: (url) => at(url).subscription.cancelForItems('s1', { end_of_term: true }),
  },
  {
    tool: 'chargebee-pause-subscription',
    input: { subscription_id: 's1', pause_option: 'specific_date', pause_date: 1800000000 },
    sdk: (url) => at(url).subscription.pause('s1', { pause_option: 'specific_date', pause_date: 1800000000 }),
  },
  {
    tool: 'chargebee-create-invoice',
    input: { customer_id: 'c1', amount: 900, description: 'Setup', currency_code: 'EUR' },
    sdk: (url) =>
      at(url).invoice.createForChargeItemsAndCharges({
        customer_id: 'c1',
        charges: [{ amount: 900, description: 'Setup' }],
        currency_code: 'EUR',
      }),
  },
  {
    tool: 'chargebee-refund-invoice',
    input: { invoice_id: 'i1', refund_amount: 100, reason_code: 'other' },
    sdk: (url) =>
      at(url).invoice.refund('i1', { refund_amount: 100, credit_note: { create_reason_code: 'other' } }),
  },
  { tool: 'chargebee-get-invoice-pdf', input: { invoice_id: 'i1' }, sdk: (url) => at(url).invoice.pdf('i1') },
  {
    tool: 'chargebee-create-portal-session',
    input: { customer_id: 'c1', redirect_url: 'https://example.com/done' },
    sdk: (url) =>
      at(url).portalSession.create({ customer: { id: 'c1' }, redirect_url: 'https://example.com/done' }),
  },
];
