import { testContext } from '@fairlead/service-kit/testing/context';
import type { Page } from '@fairlead/service-kit/page';
import { expect, it } from 'vitest';
import { wholePage } from './whole-page.ts';

it('asks for a page until it ends, from where the part before ended, without the deadline of the first', async () => {
  const ctx = { ...testContext(), deadline: new Date('2026-11-28T10:00:00.000Z') };
  const asked: [boolean, Page][] = [];
  const parts = [
    { items: [1, 2], totalCount: 9, next: 'two' },
    { items: [3], totalCount: 0, next: 'three' },
    { items: [4], totalCount: 0 },
  ];
  const page = { offset: 5, top: 10 };
  const whole = await wholePage(
    { ctx, page },
    ({ deadline }, part) => {
      asked.push([deadline === undefined, part]);
      return Promise.resolve(parts[asked.length - 1] ?? { items: [], totalCount: 0 });
    },
    String,
  );
  expect(whole).toMatchObject({ items: ['1', '2'], totalCount: 9 });
  // The remaining parts are not requested before they are read.
  expect(asked).toEqual([[false, page]]);
  const rest: (readonly string[])[] = [];
  for await (const part of whole.more ?? []) rest.push(part);
  expect(rest).toEqual([['3'], ['4']]);
  expect(asked.slice(1)).toEqual([
    [true, { offset: 0, top: 8, after: 'two' }],
    [true, { offset: 0, top: 7, after: 'three' }],
  ]);
});

it('has no more of a page that fits', async () => {
  const whole = await wholePage(
    { ctx: testContext(), page: { offset: 0, top: 1 } },
    () => Promise.resolve({ items: [1], totalCount: 1 }),
    String,
  );
  expect(whole).toEqual({ items: ['1'], totalCount: 1 });
});
