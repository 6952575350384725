import { z } from 'zod';
import { MAX_INT32, timestamp } from '../http/fields.ts';
import { DEFAULT_LICENCES } from '../access/default-licence.ts';
import type { Account } from '../identity/domain/records.ts';

/** The licence of new connections. */
export const defaultLicence = z
  .enum(DEFAULT_LICENCES)
  .describe('The licence that a new connection gets.')
  .meta({ id: 'DefaultLicence' });

/** One budget. */
export const budget = z.int32().min(1).max(MAX_INT32);

/** The name of each budget with what it limits. */
export const BUDGET_TEXTS = {
  burstPerSecond: 'Calls a second.',
  hourly: 'Calls an hour.',
  searchPerSecond: 'Searches a second.',
  searchPerHour: 'Searches an hour.',
  triggerTestPerMinute: 'Trigger tests a minute.',
  hookPerSecond: 'Calls a second of each inbound hook.',
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

/** An account as every route answers it. */
export const accountRecord = z
  .strictObject({
    accountId: z.string(),
    name: z.string(),
    isRbacEnabled: z
      .boolean()
      .describe('Off: every active user may do all but account administration. On: permissions go by role.'),
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
