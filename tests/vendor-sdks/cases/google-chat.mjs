import { chat } from '@googleapis/chat';

const at = (url) => chat({ version: 'v1', rootUrl: `${url}/`, retry: false });

export const origin = 'https://chat.googleapis.com';
export const authenticationId = 0;
export const accessToken = 'token';
// Our calls ask for the members that they return.
export const ignored = ['fields'];
export const cases = [
  {
    tool: 'google-chat-get-message',
    input: { space: 's1', message: 'm1' },
    sdk: (url) => at(url).spaces.messages.get({ name: 'spaces/s1/messages/m1' }),
  },
  {
    tool: 'google-chat-send-message',
    input: { space: 's1', text: 'Hello' },
    sdk: (url) => at(url).spaces.messages.create({ parent: 'spaces/s1', requestBody: { text: 'Hello' } }),
  },
  {
    tool: 'google-chat-update-message',
    input: { space: 's1', message: 'm1', text: 'Hi' },
    sdk: (url) =>
      at(url).spaces.messages.patch({
        name: 'spaces/s1/messages/m1',
        updateMask: 'text',
        requestBody: { text: 'Hi' },
      }),
  },
  {
    tool: 'google-chat-delete-message',
    input: { space: 's1', message: 'm1' },
    sdk: (url) => at(url).spaces.messages.delete({ name: 'spaces/s1/messages/m1', force: false }),
  },
  {
    tool: 'google-chat-add-reaction',
    input: { space: 's1', message: 'm1', emoji: '🎉' },
    sdk: (url) =>
      at(url).spaces.messages.reactions.create({
        parent: 'spaces/s1/messages/m1',
        requestBody: { emoji: { unicode: '🎉' } },
      }),
  },
  {
    tool: 'google-chat-get-space',
    input: { space: 's1' },
    sdk: (url) => at(url).spaces.get({ name: 'spaces/s1' }),
  },
  {
    tool: 'google-chat-remove-member',
    input: { space: 's1', member: 'u1' },
    sdk: (url) => at(url).spaces.members.delete({ name: 'spaces/s1/members/u1' }),
  },
  {
    tool: 'google-chat-find-direct-message',
    input: { user: 'users/u1' },
    sdk: (url) => at(url).spaces.findDirectMessage({ name: 'users/u1' }),
  },
];
