import { expect, it } from 'vitest';
import { shippedConnector } from '@fairlead/connector-runtime/testing/shipped-connector';
import type { ReceivedRequest, TestResponse } from '@fairlead/connector-runtime/testing/http-server';

const discord = (respond: (request: ReceivedRequest, count: number) => TestResponse) =>
  shippedConnector('discord', {
    origin: 'https://discord.com',
    authenticationId: 0,
    fields: { accessToken: 'token-1' },
    respond,
  });

it('sends a message with a file as parts of one request', async () => {
  const { server, call } = await discord(() => ({ body: { id: '9', content: 'Hi', tts: false } }));
  const file = { name: 'a.txt', contentType: 'text/plain', base64: Buffer.from('text').toString('base64') };
  expect(await call('discord-send-message', { channelId: '7', content: 'Hi', replyTo: '8', file })).toEqual({
    isSuccess: true,
    output: { id: '9', content: 'Hi' },
    attempts: 1,
  });
  const [request] = server.requests;
  expect(request).toMatchObject({
    path: '/api/v10/channels/7/messages',
    headers: { authorization: 'Bot token-1' },
  });
  const form = await new Response(request?.body ?? '', {
    headers: { 'content-type': request?.headers['content-type'] ?? '' },
  }).formData();
  expect(form.get('payload_json')).toBe('{"content":"Hi","message_reference":{"message_id":"8"}}');
  const part = form.get('files[0]');
  if (!(part instanceof File)) throw new Error('There is no file.');
  expect([part.name, await part.text()]).toEqual(['a.txt', 'text']);
});

it('reads older messages before the last one, until a page is not full', async () => {
  const { server, call } = await discord(({ query }) => {
    const from = Number(query.get('before') ?? 151);
    const size = Math.min(100, from - 1);
    return { body: Array.from({ length: size }, (_value, index) => ({ id: String(from - 1 - index) })) };
  });
  const outcome = await call('discord-list-messages', { channelId: '7' }, { top: 100, offset: 60 });
  expect(outcome).toMatchObject({ isSuccess: true });
  expect(outcome.isSuccess && outcome.output['items']).toHaveLength(90);
  expect(server.requests.map(({ query }) => query.toString())).toEqual(['limit=100', 'limit=100&before=51']);
});
