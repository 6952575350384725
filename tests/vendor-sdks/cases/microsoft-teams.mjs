import { Client } from '@microsoft/microsoft-graph-client';

const at = (url) => Client.init({ baseUrl: `${url}/`, authProvider: (done) => done(null, 'token') });

export const origin = 'https://graph.microsoft.com';
export const authenticationId = 0;
export const accessToken = 'token';
export const cases = [
  { tool: 'microsoft-teams-get-team', input: { team: 't1' }, sdk: (url) => at(url).api('/teams/t1').get() },
  {
    tool: 'microsoft-teams-create-channel',
    input: { team: 't1', name: 'Plans' },
    sdk: (url) =>
      at(url).api('/teams/t1/channels').post({ displayName: 'Plans', membershipType: 'standard' }),
  },
  {
    tool: 'microsoft-teams-post-channel-message',
    input: { team: 't1', channel: 'c1', text: 'Hello' },
    sdk: (url) =>
      at(url)
        .api('/teams/t1/channels/c1/messages')
        .post({ body: { content: 'Hello', contentType: 'text' } }),
  },
  {
    tool: 'microsoft-teams-send-chat-message',
    input: { chat: 'c1', text: 'Hello' },
    sdk: (url) =>
      at(url)
        .api('/chats/c1/messages')
        .post({ body: { content: 'Hello', contentType: 'text' } }),
  },
  {
    tool: 'microsoft-teams-get-presence',
    input: { id: 'u1' },
    sdk: (url) => at(url).api('/users/u1/presence').get(),
  },
  {
    tool: 'microsoft-teams-delete-meeting',
    input: { id: 'm1' },
    sdk: (url) => at(url).api('/me/onlineMeetings/m1').delete(),
  },
];
