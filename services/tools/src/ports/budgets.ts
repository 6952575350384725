import type { RequestContext } from '@fairlead/service-kit/context/context';

/** The budgets of accounts, which the gateway counts. */
export interface Budgets {
  /**
   * Counts one call of the acting account against its hourly budget. Rejects with CallerRefused if the caller may not act any
   * more, with RATE_LIMIT_EXCEEDED if the budget is spent, and with UNAVAILABLE if no gateway has counted it within some seconds: then the call must not be made.
   */
  takeCall(ctx: RequestContext): Promise<void>;
}
