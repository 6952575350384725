import { expect, test } from 'vitest';
import { DOCS, MAIL, passing } from '../../testing/passing.ts';

test('an argument is completed by the upstream of its prompt or template', async () => {
  const { send, sent } = passing([DOCS]);
  const argument = { name: 'a', value: 'b' };
  await send('completion/complete', { ref: { type: 'ref/prompt', name: 'ask' }, argument, context: {} });
  await send('completion/complete', { ref: { type: 'ref/resource', uri: 'doc://{id}' }, argument });
  expect(sent).toEqual([
    [7, 'completion/complete', { ref: { type: 'ref/prompt', name: 'ask' }, argument, context: {} }],
    [7, 'completion/complete', { ref: { type: 'ref/resource', uri: 'doc://{id}' }, argument }],
  ]);
});

test('an upstream that completes nothing is not asked', async () => {
  const { send, sent } = passing([MAIL]);
  const ref = { type: 'ref/prompt', name: 'ask' };
  expect(await send('completion/complete', { ref, argument: { name: 'a', value: '' } })).toEqual({
    completion: { values: [], total: 0, hasMore: false },
  });
  expect(sent).toEqual([]);
});
