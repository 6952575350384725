import type { Limit } from '@fairlead/service-kit/limiter/limit';
import type { Budgets } from '../../access/budgets.ts';

/** The limits that a call and a search of an account count under; a search is a call too. */
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
