import { expect, test } from 'vitest';
import { passing } from '../../testing/passing.ts';

test('a prompt that no list has is looked for in lists that are read again', async () => {
  const { send, sent, wishes } = passing();
  await expect(send('prompts/get', { name: 'none' })).rejects.toMatchObject({
    code: -32_602,
    message: 'Unknown prompt: none',
  });
  expect(wishes).toEqual(['atOnce', 'known', 'fresh']);
  expect(sent).toEqual([]);
});
