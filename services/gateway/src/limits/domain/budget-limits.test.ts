import { HOUR_MS } from '@fairlead/limiter/windows';
import { expect, test } from 'vitest';
import { DEFAULT_BUDGETS } from '@fairlead/access/budgets';
import { limitsOf, policyOf, rateLimitOf } from './budget-limits.ts';

const AT_MS = 400_000 * HOUR_MS + 59 * 60_000 + 500;
const { call, search } = limitsOf(DEFAULT_BUDGETS);

test('a call shows its burst and its hour, a search its own budgets too', () => {
  expect(policyOf(call)).toBe('"burst";q=50;w=1, "hourly";q=20000;w=3600');
  expect(policyOf(search)).toBe(
    '"burst";q=50;w=1, "hourly";q=20000;w=3600, "search";q=5;w=1, "searchHourly";q=1000;w=3600',
  );
});

test('what remains stands beside the whole seconds until the window ends, at least 1', () => {
  expect(rateLimitOf(call, [49, 19_999], AT_MS)).toBe('"burst";r=49;t=1, "hourly";r=19999;t=60');
  expect(rateLimitOf(search, [48, 19_998, 4, 999], AT_MS + 59_499)).toBe(
    '"burst";r=48;t=1, "hourly";r=19998;t=1, "search";r=4;t=1, "searchHourly";r=999;t=1',
  );
});
