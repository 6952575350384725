import { expect, test } from 'vitest';
import { DOCS, MAIL, passing } from '../../testing/passing.ts';

test('upstreams whose lists are known come with them, in their order', async () => {
  const { offering, wishes } = passing([MAIL, DOCS]);
  expect(await offering('known')).toEqual([MAIL, DOCS]);
  expect(wishes).toEqual(['known']);
  expect(await passing([MAIL, DOCS], {}, [8]).offering('known')).toEqual([DOCS]);
});
