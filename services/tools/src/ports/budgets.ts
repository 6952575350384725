import type { RequestContext } from '@fairlead/service-kit/context/context';

/** The budgets of accounts, counted by the gateway. */
export interface Budgets {
  /**
   * Counts one call in the acting account's hourly budget. Rejects with CallerRefused if the caller may no longer act, with
   * RATE_LIMIT_EXCEEDED if the budget is used up, and with UNAVAILABLE if no gateway counts it within some seconds; in all cases the call
   * must not be made.
   */
  takeCall(ctx: RequestContext): Promise<void>;
}
