import type { ChangeIdentity } from '../ports/identity-change.ts';
import { readSeedFile, writeSeedFile } from './seed-file.ts';
import type { SeedFile } from './seed-file.ts';
import { proposeSecrets } from '../use-cases/propose-secrets.ts';
import { seedAccount } from '../use-cases/seed-account.ts';
import type { SeedAccountDeps, SeedPlan } from '../use-cases/seed-account.ts';

const PLANS: Readonly<Record<keyof SeedFile, SeedPlan>> = {
  account: { accountName: 'Acme', ownerName: 'Mara Lind', ownerEmail: 'owner@acme.example' },
  otherAccount: { accountName: 'Northwind', ownerName: 'Noah Berg', ownerEmail: 'owner@northwind.example' },
};

/**
 * Seeds the two accounts of an installation and stores their secrets in the file at `path`. Running it again changes
 * nothing; on a new database the file's accounts are recreated unchanged. The file is written before the database, so
 * that a crash between them loses no secret.
 */
export async function seedAccounts(
  deps: SeedAccountDeps & { readonly changeIdentity: ChangeIdentity },
  path: string,
): Promise<void> {
  const kept = await readSeedFile(path);
  const account = kept.account ?? (await proposeSecrets(deps.store, PLANS.account));
  const otherAccount = kept.otherAccount ?? (await proposeSecrets(deps.store, PLANS.otherAccount));
  if (kept.account === undefined || kept.otherAccount === undefined) {
    await writeSeedFile(path, { account, otherAccount });
  }
  const { changeIdentity } = deps;
  await changeIdentity(account.accountId, () => seedAccount(deps, PLANS.account, account));
  await changeIdentity(otherAccount.accountId, () => seedAccount(deps, PLANS.otherAccount, otherAccount));
}
