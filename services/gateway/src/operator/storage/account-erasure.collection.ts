import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { Erasure } from '../domain/erasure.ts';

export interface AccountErasureDocument extends Omit<Erasure, 'accountId'> {
  /** The account. */
  readonly _id: string;
}

/** One document per account that was erased or is being erased; pending ones are indexed by due time. */
export const accountErasureCollection = defineCollection<AccountErasureDocument>({
  name: 'account_erasures',
  indexes: [{ key: { nextAt: 1 }, name: 'due', partialFilterExpression: { nextAt: { $type: 'date' } } }],
});
