import { expect, test } from 'vitest';
import { DOCS, MAIL, passing } from '../../testing/passing.ts';

test('a prompt is asked for by its own name, with the arguments as they were sent', async () => {
  const { send, sent } = passing([DOCS, MAIL]);
  const { prompts } = (await send('prompts/list')) as { prompts: readonly { name: string }[] };
  await send('prompts/get', { name: 'ask', arguments: { a: '1' }, _meta: { progressToken: 1 } });
  await send('prompts/get', { name: prompts[1]?.name });
  expect(sent).toEqual([
    [7, 'prompts/get', { name: 'ask', arguments: { a: '1' } }],
    [8, 'prompts/get', { name: 'ask' }],
  ]);
});
