import { ApiError } from '@fairlead/errors/api-error';
import type { Response } from 'express';
import type { CallLimits, LimitedAccount, Verdict } from './call-limits.ts';
import type { BudgetKind } from './route.ts';

/** Counts a call and sets the budget headers of its response. If the call cannot be counted, sets the headers before throwing. */
export function takeCall(
  limits: CallLimits,
  account: LimitedAccount,
  response: Response,
  kind: BudgetKind,
): Verdict | Promise<Verdict> {
  const refuse = (error: unknown): never => {
    setBudgetHeaders(response, limits.peek(account));
    throw error;
  };
  const settle = (verdict: Verdict): Verdict => {
    setBudgetHeaders(response, verdict);
    return verdict;
  };
  try {
    const verdict = limits.admit(account, kind);
    return verdict instanceof Promise ? verdict.then(settle, refuse) : settle(verdict);
  } catch (error) {
    return refuse(error);
  }
}

/** Sets the headers with the state of the budgets. */
export function setBudgetHeaders(response: Response, { rateLimit, policy }: Verdict): void {
  response.setHeader('RateLimit', rateLimit);
  response.setHeader('RateLimit-Policy', policy);
}

/** The error for a call over its budgets. */
export function budgetSpent({ retryAfterSeconds }: Verdict, kind: BudgetKind): ApiError {
  const message =
    kind === 'exempt'
      ? 'The account has used up the calls of this address for now, which count apart from its budgets.'
      : 'The account has used up its budget of calls for now.';
  return new ApiError('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds });
}
