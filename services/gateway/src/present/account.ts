import { z } from 'zod';
import { MAX_INT32, timestamp } from '../http/fields.ts';
import { DEFAULT_LICENCES } from '@fairlead/access/default-licence';
import type { Account } from 'CROSS:services/identity/src/domain/records.ts';

/** The licence of new connections. */
export const defaultLicence = z
  .enum(DEFAULT_LICENCES)
  .describe('The licence of new connections.')
  .meta({ id: 'DefaultLicence' });

/** One budget. */
export const budget = z.int32().min(1).max(MAX_INT32);

/** What each budget limits, by the budget's name. */
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
    budgets,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Account' });

/** An account. */
export function presentAccount(account: Account): z.output<typeof accountRecord> {
  return {
    accountId: account.id,
    name: account.name,
    isRbacEnabled: account.isRbacEnabled,
    defaultLicence: account.defaultLicence,
    budgets: account.budgets,
    createdAt: account.createdAt.toISOString(),
    updatedAt: account.updatedAt.toISOString(),
  };
}
