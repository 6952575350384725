import { Client } from '@microsoft/microsoft-graph-client';

const at = (url) => Client.init({ baseUrl: `${url}/`, authProvider: (done) => done(null, 'token') });

export const origin = 'https://graph.microsoft.com';
export const authenticationId = 0;
export const accessToken = 'token';
export const cases = [
  {
    tool: 'microsoft-excel-create-worksheet',
    input: { workbook: 'w1', name: 'Plan' },
    sdk: (url) => at(url).api('/me/drive/items/w1/workbook/worksheets/add').post({ name: 'Plan' }),
  },
  {
    tool: 'microsoft-excel-get-range',
    input: { workbook: 'w1', sheet: 'Plan', range: 'A1:B2' },
    sdk: (url) =>
      at(url)
        .api("/me/drive/items/w1/workbook/worksheets/Plan/range(address='A1:B2')")
        .select('address,values,text,formulas,numberFormat,rowCount,columnCount')
        .get(),
  },
  {
    tool: 'microsoft-excel-update-range',
    input: { workbook: 'w1', sheet: 'Plan', range: 'A1', values: [[5]] },
    sdk: (url) =>
      at(url)
        .api("/me/drive/items/w1/workbook/worksheets/Plan/range(address='A1')")
        .patch({ values: [[5]] }),
  },
  {
    tool: 'microsoft-excel-add-table-rows',
    input: { workbook: 'w1', table: 'T', values: [['a', 1]] },
    sdk: (url) =>
      at(url)
        .api('/me/drive/items/w1/workbook/tables/T/rows/add')
        .post({ values: [['a', 1]] }),
  },
  {
    tool: 'microsoft-excel-delete-worksheet',
    input: { workbook: 'w1', sheet: 'Plan' },
    sdk: (url) => at(url).api('/me/drive/items/w1/workbook/worksheets/Plan').delete(),
  },
  {
    tool: 'microsoft-excel-calculate-function',
    input: { workbook: 'w1', function: 'pmt', arguments: { rate: 0.05 } },
    sdk: (url) => at(url).api('/me/drive/items/w1/workbook/functions/pmt').post({ rate: 0.05 }),
  },
];
