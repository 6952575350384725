import { randomBytes } from 'node:crypto';
import type { DevStack } from '../../setup/dev-stack.ts';
import { AMPLE_BUDGETS } from '../../setup/raise-budgets.ts';
import { exchange } from './recorder.ts';

/** An account created by a test. As the options of a call, it makes the call its owner's. */
export interface TestAccount {
  readonly accountId: string;
  /** Its owner's. */
  readonly apiKey: string;
  readonly ownerEmail: string;
  readonly ownerPassword: string;
}

/** Creates an account with these settings, as the operator; its budgets are large by default. */
export async function createAccountOf(
  { baseUrl, operatorKey }: Pick<DevStack, 'baseUrl' | 'operatorKey'>,
  settings: Record<string, unknown> = {},
): Promise<TestAccount> {
  const mark = randomBytes(6).toString('hex');
  const owner = {
    ownerEmail: `owner-${mark}@test.example`,
    ownerPassword: `pw-${randomBytes(12).toString('base64url')}`,
  };
  const { status, text } = await exchange(new URL('/operator/v1/accounts', baseUrl), {
    method: 'POST',
    headers: new Headers({ 'x-api-key': operatorKey, 'content-type': 'application/json' }),
    body: JSON.stringify({
      name: `Test ${mark}`,
      ownerName: `Owner ${mark}`,
      budgets: AMPLE_BUDGETS,
      ...owner,
      ...settings,
    }),
  });
  if (status !== 201) throw new Error(`An account could not be made: ${status} ${text}`);
  // The contract defines these members, and is tested elsewhere.
  const { accountId, apiKey } = JSON.parse(text) as Pick<TestAccount, 'accountId' | 'apiKey'>;
  return { accountId, apiKey, ...owner };
}

/** The stack, with two new accounts instead of the seeded ones. */
export async function withOwnAccounts(stack: DevStack): Promise<DevStack> {
  const [account, otherAccount] = await Promise.all([createAccountOf(stack), createAccountOf(stack)]);
  return { ...stack, account, otherAccount };
}
