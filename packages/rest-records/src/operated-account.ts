import type { Account } from '@fairlead/contracts/identity/v1/account_pb';
import type { CreateAccountResponse } from '@fairlead/contracts/identity/v1/operator_service_pb';
import { z } from 'zod';
import { timestamp } from '@fairlead/rest-kit/fields';
import { accountRecord, presentAccount } from './account.ts';
import { presentOptionalTime, required } from './values.ts';

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
  return { ...presentAccount(account), erasingAt: presentOptionalTime(account.erasingAt) };
}

/** A created account, with its owner's key. */
export function presentCreatedAccount(created: CreateAccountResponse): z.output<typeof createdAccountRecord> {
  const owner = required(created.owner);
  return {
    ...presentOperatedAccount(required(created.account)),
    owner: { userId: owner.id, email: owner.email },
    apiKey: created.apiKey,
  };
}
