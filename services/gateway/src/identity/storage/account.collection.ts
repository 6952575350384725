import { defineCollection } from '@fairlead/service-kit/mongo';

/** An account as it is stored. */
export interface AccountDocument {
  readonly _id: string;
  readonly name: string;
  readonly isRbacEnabled: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Accounts, by their `acc_` id. */
export const accountCollection = defineCollection<AccountDocument>({ name: 'accounts', indexes: [] });
