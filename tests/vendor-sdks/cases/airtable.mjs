import Airtable from 'airtable';

const table = (url) => new Airtable({ apiKey: 'token', endpointUrl: url }).base('app1')('tbl1');

export const origin = 'https://api.airtable.com';
export const authenticationId = 1;
export const fields = { accessToken: 'token' };
const place = { baseId: 'app1', tableIdOrName: 'tbl1' };
export const answer = { records: [] };
export const cases = [
  {
    tool: 'airtable-get-record',
    input: { ...place, recordId: 'rec1' },
    sdk: (url) => table(url).find('rec1'),
  },
  {
    tool: 'airtable-update-record',
    input: { ...place, recordId: 'rec1', fields: { Name: 'Ada' }, typecast: true },
    sdk: (url) => table(url).update('rec1', { Name: 'Ada' }, { typecast: true }),
  },
  {
    tool: 'airtable-replace-record',
    input: { ...place, recordId: 'rec1', fields: { Name: 'Ada' }, typecast: true },
    sdk: (url) => table(url).replace('rec1', { Name: 'Ada' }, { typecast: true }),
  },
  {
    tool: 'airtable-delete-record',
    input: { ...place, recordId: 'rec1' },
    sdk: (url) => table(url).destroy('rec1'),
  },
  {
    tool: 'airtable-delete-records',
    input: { ...place, records: ['rec1', 'rec2'] },
    sdk: (url) => table(url).destroy(['rec1', 'rec2']),
  },
];
