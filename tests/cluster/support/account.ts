import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { DevStack } from '../../setup/dev-stack.ts';
import { AMPLE_BUDGETS } from '../../setup/raise-budgets.ts';

const created = z.object({ accountId: z.string(), apiKey: z.string() });

/** Creates an account as the operator, with large budgets. Its owner has no password, which would take long to hash. */
export async function createAccount(
  { baseUrl, operatorKey }: Pick<DevStack, 'baseUrl' | 'operatorKey'>,
  budgets: object = AMPLE_BUDGETS,
): Promise<DevStack['account']> {
  const ownerEmail = `owner-${randomBytes(6).toString('hex')}@test.example`;
  const answer = await fetch(`${baseUrl}/operator/v1/accounts`, {
    method: 'POST',
    headers: { 'x-api-key': operatorKey, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Test', ownerName: 'Owner', ownerEmail, budgets }),
  });
  if (answer.status !== 201)
    throw new Error(`An account could not be created: ${String(answer.status)} ${await answer.text()}`);
  return { ...created.parse(await answer.json()), ownerEmail, ownerPassword: '' };
}
