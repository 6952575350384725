import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { suggestName } from './suggest-name.ts';

const of = { accountId: 'acc_1', applicationSlug: 'crm', applicationName: 'CRM' };

async function suggestion(isTaken: (name: string) => boolean) {
  const asked: (readonly string[])[] = [];
  const takenNames = (_ctx: unknown, accountId: string, slug: string, names: readonly string[]) => {
    expect([accountId, slug]).toEqual(['acc_1', 'crm']);
    asked.push(names);
    return Promise.resolve(new Set(names.filter(isTaken)));
  };
  const name = await suggestName({ connections: { takenNames } }, testContext(), of);
  return { name, asked };
}

const numberOf = (name: string): number => (name === 'CRM' ? 1 : Number(name.slice('CRM '.length)));

test.each([
  [[], 'CRM'],
  [['Other'], 'CRM'],
  [['CRM'], 'CRM 2'],
  [['CRM', 'CRM 2', 'CRM 4'], 'CRM 3'],
  [['CRM 2'], 'CRM'],
])('beside %o the suggestion is %s', async (taken: string[], expected) => {
  const { name, asked } = await suggestion((candidate) => taken.includes(candidate));
  expect([name, asked.length]).toEqual([expected, 1]);
});

test.each([15, 16, 17, 31, 32, 33, 63, 64, 100, 1_000, 65_536, 90_000, 2 ** 30])(
  'beside the first %i numbers it is the next one, after few questions about few names',
  async (taken) => {
    const { name, asked } = await suggestion((candidate) => numberOf(candidate) <= taken);
    expect(name).toBe(`CRM ${taken + 1}`);
    expect(asked.length).toBeLessThanOrEqual(10);
    for (const names of asked) expect(names.length).toBeLessThanOrEqual(27);
  },
);

test('beside numbers with gaps it is a free one after a taken one', async () => {
  const isTaken = (name: string): boolean => numberOf(name) <= 16 || numberOf(name) % 3 !== 0;
  const { name } = await suggestion((candidate) => numberOf(candidate) < 5_000 && isTaken(candidate));
  expect(isTaken(name) && numberOf(name) < 5_000).toBe(false);
  expect(isTaken(`CRM ${numberOf(name) - 1}`)).toBe(true);
});
