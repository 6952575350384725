import { expect, test } from 'vitest';
import type { UpstreamAnswer } from '../../ports/upstreams.ts';
import { DOCS, MAIL, errorAnswer, passing, resultAnswer } from '../../testing/passing.ts';

test('a resource is read from its own upstream, or from all until one has it', async () => {
  const found = resultAnswer({ contents: [{ uri: 'new://1', text: 'a' }] });
  const { send, sent } = passing([DOCS, MAIL], { 7: errorAnswer(-32_002), 8: found });
  expect(await send('resources/read', { uri: 'new://1' })).toEqual({
    contents: [{ uri: 'new://1', text: 'a' }],
  });
  expect(sent).toEqual([7, 8].map((id) => [id, 'resources/read', { uri: 'new://1' }]));
  sent.length = 0;
  await expect(send('resources/read', { uri: 'doc://9' })).rejects.toMatchObject({ message: 'No.' });
  expect(sent).toEqual([[7, 'resources/read', { uri: 'doc://9' }]]);
});

test.each([
  [-32_002, false, -32_002],
  [-32_602, false, -32_002],
  [-32_002, true, -32_602],
  [-32_602, true, -32_602],
])(
  'the code %i for a resource that does not exist becomes that of the client’s version (stateless: %s): %i',
  async (code, isStateless, expected) => {
    const { send } = passing([DOCS], { 7: errorAnswer(code) });
    const read = send('resources/read', { uri: 'doc://1' }, isStateless);
    await expect(read).rejects.toMatchObject({ code: expected, message: 'No.', data: { uri: 'doc://1' } });
  },
);

test('a result that demands input passes as it is, and is not kept', async () => {
  const demand = { resultType: 'input_required', inputRequests: {}, requestState: 'theirs' };
  const { send } = passing([DOCS], { 7: resultAnswer(demand) });
  expect(await send('resources/read', { uri: 'doc://1' }, true)).toEqual(demand);
});

test('a resource is not said to be missing while an upstream that may have it cannot answer', async () => {
  const away: UpstreamAnswer = { kind: 'failure', message: 'MCP server is away.', isUnauthorized: false };
  const { send } = passing([DOCS, MAIL], { 7: away, 8: errorAnswer(-32_002) });
  await expect(send('resources/read', { uri: 'new://1' })).rejects.toMatchObject({
    code: -32_603,
    message: 'MCP server is away.',
    data: { errorCode: 'UNAVAILABLE' },
  });
});
