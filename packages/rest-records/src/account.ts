import { z } from 'zod';
import type { Account, Budgets as BudgetsMessage } from '@fairlead/contracts/identity/v1/account_pb';
import { DEFAULT_MAX_CONNECTIONS_PER_END_USER } from '@fairlead/access/end-user-limit';
import { DEFAULT_LICENCE_VALUES } from '@fairlead/access/proto-enums';
import { MAX_INT32, timestamp } from '@fairlead/rest-kit/fields';
import { nameOf, namesOf } from './enums.ts';
import { presentTime, required } from './values.ts';

/** The licence of new connections. */
export const defaultLicence = z
  .enum(namesOf(DEFAULT_LICENCE_VALUES))
  .describe('The licence of new connections.')
  .meta({ id: 'DefaultLicence' });

/** How many connections an end user may have. */
export const maxConnectionsPerEndUser = z
  .int32()
  .min(1)
  .max(1_000)
  .describe(
    'How many connections an end user, a customer of your product, may have. A connect session keeps the value with which it was opened.',
  );

export const budget = z.int32().min(1).max(MAX_INT32);

/** The calls that each budget limits, by the budget's name. */
export const BUDGET_TEXTS = {
  burstPerSecond: 'Calls per second.',
  hourly: 'Calls per hour.',
  searchPerSecond: 'Searches per second.',
  searchPerHour: 'Searches per hour.',
  triggerTestPerMinute: 'Trigger tests per minute.',
  hookPerSecond: 'Calls per second to each inbound hook.',
} as const;

const budgets = z
  .strictObject({
    burstPerSecond: budget.describe(BUDGET_TEXTS.burstPerSecond),
    hourly: budget.describe(BUDGET_TEXTS.hourly),
    searchPerSecond: budget.describe(BUDGET_TEXTS.searchPerSecond),
    searchPerHour: budget.describe(BUDGET_TEXTS.searchPerHour),
    triggerTestPerMinute: budget.describe(BUDGET_TEXTS.triggerTestPerMinute),
    hookPerSecond: budget.describe(BUDGET_TEXTS.hookPerSecond),
  })
  .meta({ id: 'Budgets' });

/** An account as every route returns it. */
export const accountRecord = z
  .strictObject({
    accountId: z.string(),
    name: z.string(),
    isRbacEnabled: z
      .boolean()
      .describe(
        'Off: every active user may do everything except account administration. On: the role decides the permissions.',
      ),
    defaultLicence,
    maxConnectionsPerEndUser,
    budgets,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Account' });

export function presentAccount(account: Account): z.output<typeof accountRecord> {
  return {
    accountId: account.id,
    name: account.name,
    isRbacEnabled: account.isRbacEnabled,
    defaultLicence: nameOf(DEFAULT_LICENCE_VALUES, account.defaultLicence),
    maxConnectionsPerEndUser: presentMaxConnections(account),
    budgets: presentBudgets(account.budgets),
    createdAt: presentTime(account.createdAt),
    updatedAt: presentTime(account.updatedAt),
  };
}

/** How many connections an end user of an account may have; an earlier release of identity does not say. */
export function presentMaxConnections({ maxConnectionsPerEndUser: most }: Account): number {
  return most === 0 ? DEFAULT_MAX_CONNECTIONS_PER_END_USER : most;
}

/** The budgets of an account. */
export function presentBudgets(message: BudgetsMessage | undefined): z.output<typeof budgets> {
  const sent = required(message);
  return {
    burstPerSecond: sent.burstPerSecond,
    hourly: sent.hourly,
    searchPerSecond: sent.searchPerSecond,
    searchPerHour: sent.searchPerHour,
    triggerTestPerMinute: sent.triggerTestPerMinute,
    hookPerSecond: sent.hookPerSecond,
  };
}
