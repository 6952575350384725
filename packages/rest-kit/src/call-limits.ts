import type { Budgets } from '@fairlead/access/budgets';

/** A calling account with its current budgets. */
export interface LimitedAccount {
  readonly accountId: string;
  readonly budgets: Budgets;
}

/** Whether a call is admitted, and the budget headers of its response. */
export interface Verdict {
  readonly isAllowed: boolean;
  /** Value of Retry-After: 1 if the budget of the second is used up, 3600 if that of the hour is; 0 if the call is admitted. */
  readonly retryAfterSeconds: number;
  /** Value of the header RateLimit: the remaining calls after this one, and the seconds until the budget is renewed. */
  readonly rateLimit: string;
  /** Value of the header RateLimit-Policy. */
  readonly policy: string;
}

/** The edge's interface to the call budgets. */
export interface CallLimits {
  /**
   * Counts a call, and a search under the search budgets too; a refused call is not counted. Returns synchronously if
   * memory suffices. Throws or rejects with UNAVAILABLE if the call cannot be counted. An exempt call counts against
   * a separate limit only.
   */
  admit(account: LimitedAccount, kind: 'call' | 'search' | 'exempt'): Verdict | Promise<Verdict>;
  /** Whether this many calls are left, as far as memory shows, and the state of the budgets. Counts nothing. Default: 0 calls. */
  peek(account: LimitedAccount, calls?: number): Verdict;
}
