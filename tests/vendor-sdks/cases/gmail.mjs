import { gmail } from '@googleapis/gmail';

const at = (url) => gmail({ version: 'v1', rootUrl: `${url}/`, retry: false });

export const origin = 'https://gmail.googleapis.com';
export const authenticationId = 0;
export const accessToken = 'token';
// Our calls ask for the members that they return.
export const ignored = ['fields'];
export const cases = [
  {
    tool: 'gmail-get-message',
    input: { id: 'm1' },
    sdk: (url) => at(url).users.messages.get({ userId: 'me', id: 'm1', format: 'full' }),
  },
  {
    tool: 'gmail-trash-message',
    input: { id: 'm1' },
    sdk: (url) => at(url).users.messages.trash({ userId: 'me', id: 'm1' }),
  },
  {
    tool: 'gmail-restore-message',
    input: { id: 'm1' },
    sdk: (url) => at(url).users.messages.untrash({ userId: 'me', id: 'm1' }),
  },
  {
    tool: 'gmail-update-message-labels',
    input: { id: 'm1', addLabelIds: ['L1'] },
    sdk: (url) =>
      at(url).users.messages.modify({ userId: 'me', id: 'm1', requestBody: { addLabelIds: ['L1'] } }),
  },
  {
    tool: 'gmail-get-draft',
    input: { id: 'd1' },
    sdk: (url) => at(url).users.drafts.get({ userId: 'me', id: 'd1', format: 'full' }),
  },
  {
    tool: 'gmail-delete-label',
    input: { id: 'L1' },
    sdk: (url) => at(url).users.labels.delete({ userId: 'me', id: 'L1' }),
  },
  { tool: 'gmail-get-profile', input: {}, sdk: (url) => at(url).users.getProfile({ userId: 'me' }) },
];
