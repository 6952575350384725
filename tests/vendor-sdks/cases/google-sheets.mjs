import { sheets } from '@googleapis/sheets';

const at = (url) => sheets({ version: 'v4', rootUrl: `${url}/`, retry: false });

export const origin = 'https://sheets.googleapis.com';
export const authenticationId = 0;
export const accessToken = 'token';
// Our calls ask for the members that they return.
export const ignored = ['fields'];
export const cases = [
  {
    tool: 'google-sheets-get-values',
    input: { spreadsheetId: 's1', range: 'A1:B2' },
    sdk: (url) =>
      at(url).spreadsheets.values.get({
        spreadsheetId: 's1',
        range: 'A1:B2',
        valueRenderOption: 'FORMATTED_VALUE',
      }),
  },
  {
    tool: 'google-sheets-update-values',
    input: { spreadsheetId: 's1', range: 'A1', values: [['x']] },
    sdk: (url) =>
      at(url).spreadsheets.values.update({
        spreadsheetId: 's1',
        range: 'A1',
        valueInputOption: 'USER_ENTERED',
        requestBody: { values: [['x']] },
      }),
  },
  {
    tool: 'google-sheets-append-rows',
    input: { spreadsheetId: 's1', range: 'A1', values: [['x']] },
    sdk: (url) =>
      at(url).spreadsheets.values.append({
        spreadsheetId: 's1',
        range: 'A1',
        valueInputOption: 'USER_ENTERED',
        insertDataOption: 'INSERT_ROWS',
        requestBody: { values: [['x']] },
      }),
  },
  {
    tool: 'google-sheets-clear-values',
    input: { spreadsheetId: 's1', range: 'A1' },
    sdk: (url) => at(url).spreadsheets.values.clear({ spreadsheetId: 's1', range: 'A1' }),
  },
  {
    tool: 'google-sheets-copy-sheet',
    input: { spreadsheetId: 's1', sheetId: 7, destinationSpreadsheetId: 's2' },
    sdk: (url) =>
      at(url).spreadsheets.sheets.copyTo({
        spreadsheetId: 's1',
        sheetId: 7,
        requestBody: { destinationSpreadsheetId: 's2' },
      }),
  },
  {
    tool: 'google-sheets-clear-values-of-ranges',
    input: { spreadsheetId: 's1', ranges: ['A1'] },
    sdk: (url) =>
      at(url).spreadsheets.values.batchClear({ spreadsheetId: 's1', requestBody: { ranges: ['A1'] } }),
  },
];
