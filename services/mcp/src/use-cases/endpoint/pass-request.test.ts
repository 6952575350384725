import { expect, test } from 'vitest';
import { DOCS, passing } from '../../testing/passing.ts';

test('versions without a handshake say how long a list and a resource may be kept', async () => {
  const { send } = passing();
  const cached = { ttlMs: 0, cacheScope: 'private' };
  expect(await send('resources/list', {}, true)).toMatchObject(cached);
  expect(await send('resources/read', { uri: 'doc://1' }, true)).toMatchObject(cached);
  expect(await send('prompts/get', { name: 'ask' }, true)).toEqual({});
});

test.each([
  ['prompts/get', {}, 'params.name'],
  ['prompts/get', { name: 7 }, 'params.name'],
  ['resources/read', { uri: null }, 'params.uri'],
  ['completion/complete', { ref: 'ask' }, 'params.ref'],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'none' } }, 'params.ref'],
  ['completion/complete', { ref: { type: 'other', uri: 'doc://1' } }, 'params.ref'],
])('%s with %j is refused, naming %s', async (method, params, field) => {
  const message: unknown = expect.stringContaining(field);
  await expect(passing().send(method, params)).rejects.toMatchObject({ code: -32_602, message });
});

test('a server without upstreams passes nothing, nor does an unknown method', async () => {
  expect(await passing([]).send('prompts/list')).toBeUndefined();
  expect(await passing([DOCS]).send('sampling/createMessage')).toBeUndefined();
});
