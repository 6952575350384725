import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { recordKeyUses } from './record-key-uses.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const uses = (count: number): ReadonlyMap<string, Date> =>
  new Map(Array.from({ length: count }, (_, index) => [`key_${index}`, NOW]));

test('ten thousand uses are recorded in one call, and no more; none costs nothing', async () => {
  const recorded: number[] = [];
  const recordUses = (_ctx: unknown, given: ReadonlyMap<string, Date>) =>
    Promise.resolve(void recorded.push(given.size));
  const deps = { apiKeys: { recordUses } };
  await recordKeyUses(deps, testContext(), uses(10_000));
  await recordKeyUses(deps, testContext(), uses(0));
  await expect(recordKeyUses(deps, testContext(), uses(10_001))).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'uses' }],
  });
  expect(recorded).toEqual([10_000]);
});
