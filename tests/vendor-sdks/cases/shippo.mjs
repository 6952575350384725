import { Shippo } from 'shippo';

const at = (url) => new Shippo({ apiKeyHeader: 'ShippoToken key', serverURL: url });

export const origin = 'https://api.goshippo.com';
export const authenticationId = 0;
export const fields = { apiKey: 'key' };
export const cases = [
  { tool: 'shippo-get-shipment', input: { shipment_id: 's1' }, sdk: (url) => at(url).shipments.get('s1') },
  { tool: 'shippo-get-rate', input: { rate_id: 'r1' }, sdk: (url) => at(url).rates.get('r1') },
  { tool: 'shippo-get-label', input: { transaction_id: 't1' }, sdk: (url) => at(url).transactions.get('t1') },
  {
    tool: 'shippo-create-label',
    input: { rate: 'r1', label_file_type: 'PDF' },
    sdk: (url) => at(url).transactions.create({ rate: 'r1', labelFileType: 'PDF', async: false }),
  },
  {
    tool: 'shippo-refund-label',
    input: { transaction: 't1' },
    sdk: (url) => at(url).refunds.create({ transaction: 't1', async: false }),
  },
  {
    tool: 'shippo-get-tracking',
    input: { carrier: 'usps', tracking_number: '9205' },
    sdk: (url) => at(url).trackingStatus.get('9205', 'usps'),
  },
  { tool: 'shippo-get-order', input: { order_id: 'o1' }, sdk: (url) => at(url).orders.get('o1') },
];
