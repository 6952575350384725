import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '@fairlead/errors/api-error';
import { PLAIN_CHALLENGE } from '@fairlead/service-kit/http/exchange';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import type { Request, Response } from 'express';
import { isAllowed } from '@fairlead/access/permissions';
import type { Requirement } from '@fairlead/access/permissions';
import type { Principal } from '@fairlead/access/principal';
import { InactiveUserError } from './authenticate.ts';
import type { Authenticate } from './authenticate.ts';
import { budgetSpent, setBudgetHeaders, takeCall } from './budget.ts';
import type { CallLimits, LimitedAccount } from './call-limits.ts';
import type { Challenges } from './challenge.ts';
import type { ChooseCanaries } from './choose-canaries.ts';
import type { Visit } from './in-progress.ts';
import { queryString } from './parameters.ts';
import type { Access, BudgetKind } from './route.ts';

/**
 * Admits a request: checks its credential, then the account's requests in progress, then its budgets. Returns
 * undefined for operator and anonymous calls.
 */
export type Admit = (
  exchange: Exchange,
  request: Request,
  response: Response,
  rule: { readonly auth: Access; readonly budget: BudgetKind; readonly permission?: Requirement | undefined },
  visit: Visit,
) => Promise<Principal | undefined>;
export interface AdmissionOptions {
  readonly authenticate: Authenticate;
  /** Whether these headers contain the platform operator's key. */
  readonly isOperator: (headers: IncomingHttpHeaders) => boolean;
  readonly limits: CallLimits;
  /** Called for each call with a credential that is within its budgets. */
  readonly countCall: (accountId: string) => void;
  readonly challenges: Challenges;
  /** Chooses canaries; undefined: canaries are not in use. */
  readonly chooseCanaries?: ChooseCanaries | undefined;
}

/**
 * Creates the admission check of the API. It throws UNAUTHORIZED, ACCOUNT_USER_INACTIVE or RATE_LIMIT_EXCEEDED. Every
 * response to a valid credential carries the budget headers.
 */
export function createAdmission(o: AdmissionOptions): Admit {
  return async (exchange, request, response, { auth, budget, permission }, visit) => {
    if (auth === 'anonymous') return undefined;
    if (auth === 'operator') {
      exchange.challenge = PLAIN_CHALLENGE;
      if (!o.isOperator(request.headers))
        throw new ApiError('UNAUTHORIZED', 'Send the operator’s key in the x-api-key header.');
      exchange.canaries = o.chooseCanaries?.({ headers: request.headers, accountId: undefined });
      return undefined;
    }
    exchange.challenge = o.challenges.unauthorized(request.headers);
    const principal = await authenticateCall(o, request, response);
    exchange.accountId = principal.accountId;
    exchange.userId = principal.userId;
    const { headers } = request;
    const { accountId, credentialId } = principal;
    exchange.canaries = o.chooseCanaries?.({ headers, accountId, credentialId });
    enter(o.limits, principal, { request, response, visit, budget });
    if (budget === 'exempt' && !mayPass(principal, permission)) {
      setBudgetHeaders(response, o.limits.peek(principal));
      return principal;
    }
    const pending = takeCall(o.limits, principal, response, budgetOf(budget, request.url));
    // Nearly always available synchronously; awaiting it would cost a turn of the event loop.
    const verdict = pending instanceof Promise ? await pending : pending;
    if (!verdict.isAllowed) throw budgetSpent(verdict, budget);
    o.countCall(principal.accountId);
    return principal;
  };
}

/** An inactive user is refused after authentication: the response has the budget headers, but the call consumes no budget. */
async function authenticateCall(
  { authenticate, limits }: AdmissionOptions,
  { headers }: Request,
  response: Response,
): Promise<Principal> {
  try {
    return await authenticate(headers);
  } catch (error) {
    if (error instanceof InactiveUserError) setBudgetHeaders(response, limits.peek(error.account));
    throw error;
  }
}

/**
 * Whether the route may admit the caller. Others are refused by the operation; they must not use up the limit of an
 * exempt route, which serves to raise budgets.
 */
function mayPass(principal: Principal, permission: Requirement | undefined): boolean {
  return permission === undefined || (principal.toolsetId === null && isAllowed(permission, principal));
}

/** A request refused here consumes no budget. */
function enter(
  limits: CallLimits,
  account: LimitedAccount,
  o: {
    readonly request: Request;
    readonly response: Response;
    readonly visit: Visit;
    readonly budget: BudgetKind;
  },
): void {
  try {
    // Exempt calls are counted separately, so that budgets can be raised whatever else is in progress.
    o.visit.enter(o.budget === 'exempt' ? `${account.accountId} exempt` : account.accountId, o.request);
  } catch (error) {
    setBudgetHeaders(o.response, limits.peek(account));
    throw error;
  }
}

/** A request with a blank `search` counts as a plain call, not as a search. */
function budgetOf(budget: BudgetKind, url: string): BudgetKind {
  if (budget !== 'search') return budget;
  const searches = new URLSearchParams(queryString(url)).getAll('search');
  return searches.some((text) => text.trim() !== '') ? 'search' : 'call';
}
