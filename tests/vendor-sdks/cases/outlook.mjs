import { Client } from '@microsoft/microsoft-graph-client';

const at = (url) => Client.init({ baseUrl: `${url}/`, authProvider: (done) => done(null, 'token') });

export const origin = 'https://graph.microsoft.com';
export const authenticationId = 0;
export const accessToken = 'token';
export const cases = [
  {
    tool: 'outlook-reply-to-message',
    input: { id: 'm1', comment: 'Thanks' },
    sdk: (url) => at(url).api('/me/messages/m1/reply').post({ comment: 'Thanks' }),
  },
  {
    tool: 'outlook-update-message',
    input: { id: 'm1', isRead: true },
    sdk: (url) => at(url).api('/me/messages/m1').patch({ isRead: true }),
  },
  {
    tool: 'outlook-move-message',
    input: { id: 'm1', folder: 'archive' },
    sdk: (url) => at(url).api('/me/messages/m1/move').post({ destinationId: 'archive' }),
  },
  {
    tool: 'outlook-delete-message',
    input: { id: 'm1' },
    sdk: (url) => at(url).api('/me/messages/m1').delete(),
  },
  {
    tool: 'outlook-create-draft',
    input: { to: [{ emailAddress: { address: 'ada@example.com' } }], subject: 'Plan', body: 'Hello' },
    sdk: (url) =>
      at(url)
        .api('/me/messages')
        .post({
          toRecipients: [{ emailAddress: { address: 'ada@example.com' } }],
          subject: 'Plan',
          body: { content: 'Hello', contentType: 'text' },
        }),
  },
  { tool: 'outlook-get-event', input: { id: 'e1' }, sdk: (url) => at(url).api('/me/events/e1').get() },
  {
    tool: 'outlook-cancel-event',
    input: { id: 'e1', comment: 'Ill' },
    sdk: (url) => at(url).api('/me/events/e1/cancel').post({ comment: 'Ill' }),
  },
  {
    tool: 'outlook-create-contact',
    input: { givenName: 'Ada', surname: 'Lovelace' },
    sdk: (url) => at(url).api('/me/contacts').post({ givenName: 'Ada', surname: 'Lovelace' }),
  },
];
