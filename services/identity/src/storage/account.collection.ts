import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { Budgets } from '@fairlead/access/budgets';
import type { DefaultLicence } from '@fairlead/access/default-licence';
import { DEFAULT_MAX_CONNECTIONS_PER_END_USER } from '@fairlead/access/end-user-limit';
import type { Account } from '../domain/records.ts';

/** An account as it is stored. */
export interface AccountDocument {
  readonly _id: string;
  readonly name: string;
  readonly isRbacEnabled: boolean;
  readonly defaultLicence: DefaultLicence;
  /** Absent on documents of earlier releases: the default. */
  readonly maxConnectionsPerEndUser?: number;
  readonly budgets: Budgets;
  readonly erasingAt: Date | null;
  /** Counts the changes of the account's users, keys, clients and grants, which serialises them; absent: none so far. */
  readonly peopleRevision?: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Accounts, by their `acc_` id. */
export const accountCollection = defineCollection<AccountDocument>({
  name: 'accounts',
  indexes: [{ key: { createdAt: -1, _id: -1 } }],
});

/** The account of a document. */
export function toAccount(document: AccountDocument): Account {
  const { _id: id, name, isRbacEnabled, defaultLicence, budgets, erasingAt, createdAt, updatedAt } = document;
  const maxConnectionsPerEndUser = document.maxConnectionsPerEndUser ?? DEFAULT_MAX_CONNECTIONS_PER_END_USER;
  const settings = { name, isRbacEnabled, defaultLicence, maxConnectionsPerEndUser, budgets };
  return { id, ...settings, erasingAt, createdAt, updatedAt };
}

/** The document of an account. */
export function accountDocument({ id, ...account }: Account): AccountDocument {
  return { _id: id, ...account };
}
