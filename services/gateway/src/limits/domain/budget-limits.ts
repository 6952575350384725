import type { Limit } from '@fairlead/limiter/limit';
import { HOUR_MS, SECOND_MS, secondsLeft } from '@fairlead/limiter/windows';
import type { Budgets } from '@fairlead/access/budgets';

const LENGTHS = { second: SECOND_MS, hour: HOUR_MS };

/** The limits under which an account's calls and searches count; a search also counts as a call. */
export function limitsOf(budgets: Budgets): {
  readonly call: readonly Limit[];
  readonly search: readonly Limit[];
} {
  const call: readonly Limit[] = [
    { name: 'burst', window: 'second', max: budgets.burstPerSecond },
    { name: 'hourly', window: 'hour', max: budgets.hourly },
  ];
  const search: readonly Limit[] = [
    ...call,
    { name: 'search', window: 'second', max: budgets.searchPerSecond },
    { name: 'searchHourly', window: 'hour', max: budgets.searchPerHour },
  ];
  return { call, search };
}

/** The limit under which a step of a workflow counts: the account's hourly limit of calls. */
export function stepLimitsOf({ hourly }: Pick<Budgets, 'hourly'>): readonly Limit[] {
  return [{ name: 'hourly', window: 'hour', max: hourly }];
}

/** Name of the limit of calls to `/admin/v1/account`. */
export const ACCOUNT_LIMIT = 'account';

/** The limit under which an account's calls to `/admin/v1/account` count; they use no other budget. */
export const ACCOUNT_LIMITS: readonly Limit[] = [{ name: ACCOUNT_LIMIT, window: 'second', max: 10 }];

/** Name of the limit of calls to one inbound address. */
export const HOOK_LIMIT = 'hook';

/** The limit under which calls to one inbound address of an account count. */
export function hookLimitsOf({ hookPerSecond }: Pick<Budgets, 'hookPerSecond'>): readonly Limit[] {
  return [{ name: HOOK_LIMIT, window: 'second', max: hookPerSecond }];
}

/** The RateLimit-Policy header of a call under these limits (draft-ietf-httpapi-ratelimit-headers; row completion.everywhere.56). */
export function policyOf(limits: readonly Limit[]): string {
  return limits
    .map(({ name, window, max }) => `"${name}";q=${max};w=${LENGTHS[window] / SECOND_MS}`)
    .join(', ');
}

/** The RateLimit header: remaining calls of each limit, and seconds until its window ends. */
export function rateLimitOf(limits: readonly Limit[], remaining: readonly number[], atMs: number): string {
  let text = '';
  // Every call of the API gets this header, so it is built without intermediate arrays.
  for (const [at, { name, window }] of limits.entries()) {
    const item = `"${name}";r=${remaining[at] ?? 0};t=${secondsLeft(atMs, LENGTHS[window])}`;
    text = at === 0 ? item : `${text}, ${item}`;
  }
  return text;
}
