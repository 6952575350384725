import type { Erasure } from '../domain/erasure.ts';

/** Stores the erasures of accounts, finished ones included. */
export interface ErasureStore {
  /** Records that the account is being erased, unless recorded already, and claims the erasure until `until`. */
  begin(accountId: string, o: { readonly now: Date; readonly until: Date }): Promise<Erasure>;
  /** Claims a due erasure until `until`; undefined: none is due. */
  claimDue(o: { readonly now: Date; readonly until: Date }): Promise<Erasure | undefined>;
  save(erasure: Erasure): Promise<void>;
  /** Releases the claim on an erasure that could not continue; it is due again at `until`. */
  postpone(accountId: string, until: Date): Promise<void>;
}
