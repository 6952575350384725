import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { Erasure } from '../domain/erasure.ts';

/** An erasure as it is stored. */
export interface AccountErasureDocument extends Omit<Erasure, 'accountId'> {
  /** The account. */
  readonly _id: string;
}

/** One document per account that was, or is being, erased; pending ones are indexed by their due time. */
export const accountErasureCollection = defineCollection<AccountErasureDocument>({
  name: 'account_erasures',
  indexes: [{ key: { nextAt: 1 }, name: 'due', partialFilterExpression: { nextAt: { $type: 'date' } } }],
});
