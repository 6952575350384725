import { youtube } from '@googleapis/youtube';

const at = (url) => youtube({ version: 'v3', rootUrl: `${url}/`, retry: false });

export const origin = 'https://youtube.googleapis.com';
export const authenticationId = 0;
export const accessToken = 'token';
// Our calls ask for the members that they return.
export const ignored = ['fields'];
export const cases = [
  {
    tool: 'youtube-rate-video',
    input: { id: 'v1', rating: 'like' },
    sdk: (url) => at(url).videos.rate({ id: 'v1', rating: 'like' }),
  },
  { tool: 'youtube-delete-video', input: { id: 'v1' }, sdk: (url) => at(url).videos.delete({ id: 'v1' }) },
  {
    tool: 'youtube-unsubscribe-from-channel',
    input: { id: 's1' },
    sdk: (url) => at(url).subscriptions.delete({ id: 's1' }),
  },
  {
    tool: 'youtube-subscribe-to-channel',
    input: { channelId: 'c1' },
    sdk: (url) =>
      at(url).subscriptions.insert({
        part: ['snippet'],
        requestBody: { snippet: { resourceId: { channelId: 'c1', kind: 'youtube#channel' } } },
      }),
  },
  {
    tool: 'youtube-delete-playlist',
    input: { id: 'p1' },
    sdk: (url) => at(url).playlists.delete({ id: 'p1' }),
  },
  {
    tool: 'youtube-remove-from-playlist',
    input: { id: 'i1' },
    sdk: (url) => at(url).playlistItems.delete({ id: 'i1' }),
  },
  {
    tool: 'youtube-delete-comment',
    input: { id: 'c1' },
    sdk: (url) => at(url).comments.delete({ id: 'c1' }),
  },
  {
    tool: 'youtube-reply-to-comment',
    input: { parentId: 'c1', text: 'Thanks' },
    sdk: (url) =>
      at(url).comments.insert({
        part: ['snippet'],
        requestBody: { snippet: { parentId: 'c1', textOriginal: 'Thanks' } },
      }),
  },
];
