import { expect, test } from 'vitest';
import { DOCS, MAIL, passing } from '../../testing/passing.ts';
import { offering } from '../../testing/upstreams.ts';

test('lists are merged in the order of the entries, and read again', async () => {
  const { send, wishes } = passing([MAIL, DOCS]);
  const hashed: unknown = expect.stringMatching(/^ask_/);
  expect(await send('prompts/list')).toEqual({ prompts: [{ name: hashed }, { name: 'ask' }] });
  expect(await send('resources/list')).toEqual({
    resources: [{ uri: 'mail://1' }, { uri: 'doc://1', name: 'One' }],
  });
  expect(await send('resources/templates/list')).toEqual({
    resourceTemplates: [{ uriTemplate: 'doc://{id}' }],
  });
  expect(wishes).toEqual(['fresh', 'fresh', 'fresh']);
});

test('pages follow each other', async () => {
  const many = offering(7, { prompts: Array.from({ length: 150 }, (_p, at) => ({ name: `p${at}` })) });
  const { send } = passing([many]);
  const first = await send('prompts/list');
  expect(first).toHaveProperty('prompts.length', 100);
  const { nextCursor: cursor } = first as { nextCursor: string };
  const last = await send('prompts/list', { cursor });
  expect(last).toHaveProperty('prompts.length', 50);
  expect(last).not.toHaveProperty('nextCursor');
  await expect(send('prompts/list', { cursor: 'x' })).rejects.toMatchObject({ code: -32_602 });
  await expect(send('prompts/list', { cursor: 1 })).rejects.toMatchObject({ code: -32_602 });
});
