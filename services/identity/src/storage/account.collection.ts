import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import { DEFAULT_MAX_CONNECTIONS_PER_END_USER } from '@fairlead/access/end-user-limit';
import type { Account } from '../domain/records.ts';

export interface AccountDocument extends Omit<Account, 'id' | 'maxConnectionsPerEndUser'> {
  readonly _id: string;
  /** Absent in documents of earlier releases: the default applies. */
  readonly maxConnectionsPerEndUser?: number;
  /** Incremented by each change of the account's users, keys, clients and grants, which serialises these changes; absent: none so far. */
  readonly peopleRevision?: number;
}

/** Accounts, by their `acc_` id. */
export const accountCollection = defineCollection<AccountDocument>({
  name: 'accounts',
  indexes: [{ key: { createdAt: -1, _id: -1 } }],
});

/** Decodes a document. */
export function toAccount(document: AccountDocument): Account {
  const { _id: id, name, isRbacEnabled, defaultLicence, budgets, erasingAt, createdAt, updatedAt } = document;
  const maxConnectionsPerEndUser = document.maxConnectionsPerEndUser ?? DEFAULT_MAX_CONNECTIONS_PER_END_USER;
  const settings = { name, isRbacEnabled, defaultLicence, maxConnectionsPerEndUser, budgets };
  return { id, ...settings, erasingAt, createdAt, updatedAt };
}

/** Encodes an account. */
export function accountDocument({ id, ...account }: Account): AccountDocument {
  return { _id: id, ...account };
}
