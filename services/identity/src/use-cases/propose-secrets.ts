import { prefixedId, randomBase62 } from '@fairlead/service-kit/ids';
import { generateApiKey } from '@fairlead/access/api-key';
import type { SeedStore } from '../ports/seed-store.ts';
import type { SeedPlan, SeedSecrets } from './seed-account.ts';

const PASSWORD_LENGTH = 24;

/** New secrets for `plan`. If its owner already has an account, the account's id is kept: only the secrets were lost. */
export async function proposeSecrets(
  store: Pick<SeedStore, 'findOwnedAccount'>,
  plan: SeedPlan,
): Promise<SeedSecrets> {
  return {
    accountId: (await store.findOwnedAccount(plan.ownerEmail)) ?? prefixedId('acc'),
    apiKey: generateApiKey().reveal(),
    ownerEmail: plan.ownerEmail,
    ownerPassword: randomBase62(PASSWORD_LENGTH),
  };
}
