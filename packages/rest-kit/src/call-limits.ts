import type { Budgets } from '@fairlead/access/budgets';

/** An account that calls, with its current budgets. */
export interface LimitedAccount {
  readonly accountId: string;
  readonly budgets: Budgets;
}

/** Whether a call is admitted, and what its answer says about the budgets. */
export interface Verdict {
  readonly isAllowed: boolean;
  /** Value of Retry-After: 1 where a second is full, 3600 where an hour or both are; 0 where the call is admitted. */
  readonly retryAfterSeconds: number;
  /** Value of the header RateLimit: what remains after this call, and the seconds until it is renewed. */
  readonly rateLimit: string;
  /** Value of the header RateLimit-Policy. */
  readonly policy: string;
}

/** The budgets of calls, as the edge asks for them. */
export interface CallLimits {
  /**
   * Counts a call, and under the budgets of searches too where it is one; a refused call counts nowhere. Returns
   * synchronously if memory suffices. Throws or rejects with UNAVAILABLE if the call cannot be counted. A call that is exempt
   * counts under no budget, but under a limit of its own.
   */
  admit(account: LimitedAccount, kind: 'call' | 'search' | 'exempt'): Verdict | Promise<Verdict>;
  /** Whether that many calls are left, as far as memory shows, and how the budgets stand. Counts nothing. Default: 0 calls. */
  peek(account: LimitedAccount, calls?: number): Verdict;
}
