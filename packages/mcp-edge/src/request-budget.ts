import { budgetSpent, setBudgetHeaders, takeCall } from '@fairlead/rest-kit/budget';
import type { CallLimits, LimitedAccount, Verdict } from '@fairlead/rest-kit/call-limits';
import type { Response } from 'express';
import type { BodyFacts } from './posted.ts';

/** Counts requests against the budgets of accounts. */
export interface RequestBudget {
  /**
   * Counts one request. Returns synchronously if memory suffices, so that no other request is counted between those
   * of a batch.
   */
  countOne(account: LimitedAccount, response: Response): void | Promise<void>;
  /** Counts each request of a body; counts none if the budgets have too little left for the batch. */
  count(account: LimitedAccount, response: Response, posted: Pick<BodyFacts, 'requestCount'>): Promise<void>;
}

/** Creates the budget of requests. Its methods throw RATE_LIMIT_EXCEEDED or QUOTA_EXCEEDED over budget. */
export function createRequestBudget(o: {
  readonly limits: CallLimits;
  /** Called for each request within the budgets. */
  readonly countCall: (accountId: string) => void;
}): RequestBudget {
  const { limits } = o;

  function countOne(account: LimitedAccount, response: Response): void | Promise<void> {
    const settle = (verdict: Verdict): void => {
      if (!verdict.isAllowed) throw budgetSpent(verdict, 'call');
      o.countCall(account.accountId);
    };
    const verdict = takeCall(limits, account, response, 'call');
    return verdict instanceof Promise ? verdict.then(settle) : settle(verdict);
  }

  return {
    countOne,
    async count(account, response, { requestCount }) {
      if (requestCount > 1) {
        const standing = limits.peek(account, requestCount);
        setBudgetHeaders(response, standing);
        if (!standing.isAllowed) throw budgetSpent(standing, 'call');
      }
      for (let counted = 0; counted < requestCount; counted += 1) {
        const pending = countOne(account, response);
        if (pending instanceof Promise) await pending;
      }
    },
  };
}
