import { z } from 'zod';
import { timestamp } from '../http/fields.ts';
import type { Account } from 'CROSS:services/identity/src/domain/records.ts';
import type { CreatedAccount } from 'CROSS:services/identity/src/use-cases/create-account.ts';
import { accountRecord, presentAccount } from './account.ts';

/** An account as the operator sees it. */
export const operatedAccountRecord = accountRecord
  .extend({
    erasingAt: timestamp
      .nullable()
      .describe(
        'When its erasure began: since then none of its credentials is accepted. Null: it is not being erased.',
      ),
  })
  .meta({ id: 'OperatedAccount' });

/** An account as its creation returns it. */
export const createdAccountRecord = operatedAccountRecord
  .extend({
    owner: z.strictObject({ userId: z.string(), email: z.string() }),
    apiKey: z.string().describe('The owner’s first API key; it cannot be read again.'),
  })
  .meta({ id: 'CreatedAccount' });

/** An account, for the operator. */
export function presentOperatedAccount(account: Account): z.output<typeof operatedAccountRecord> {
  return { ...presentAccount(account), erasingAt: account.erasingAt?.toISOString() ?? null };
}

/** A created account, with its owner's key. */
export function presentCreatedAccount({
  account,
  owner,
  apiKey,
}: CreatedAccount): z.output<typeof createdAccountRecord> {
  return {
    ...presentOperatedAccount(account),
    owner: { userId: owner.id, email: owner.email },
    apiKey: apiKey.reveal(),
  };
}
