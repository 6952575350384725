import type { Budgets } from '../../identity/domain/budgets.ts';
import { HOUR_MS, secondsLeft } from './windows.ts';

/** What is left of the budgets that a call is counted in. */
export interface Remaining {
  readonly burst: number;
  readonly hourly: number;
  readonly search: number;
  /** Undefined for what is no search. */
  readonly searchHourly: number | undefined;
}

/** RateLimit-Policy of calls or of searches (draft-ietf-httpapi-ratelimit-headers; completion.md "Everywhere"). */
export function policyOf(budgets: Budgets, isSearch: boolean): string {
  const policy = `"burst";q=${budgets.burstPerSecond};w=1, "hourly";q=${budgets.hourly};w=3600`;
  if (!isSearch) return policy;
  return `${policy}, "search";q=${budgets.searchPerSecond};w=1, "searchHourly";q=${budgets.searchPerHour};w=3600`;
}

/** RateLimit: what is left of each budget of the policy, and the seconds until its window ends. */
export function rateLimitOf({ burst, hourly, search, searchHourly }: Remaining, now: number): string {
  const hour = secondsLeft(now, HOUR_MS);
  const general = `"burst";r=${burst};t=1, "hourly";r=${hourly};t=${hour}`;
  if (searchHourly === undefined) return general;
  return `${general}, "search";r=${search};t=1, "searchHourly";r=${searchHourly};t=${hour}`;
}
