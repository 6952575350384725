import type { Erasure } from '../domain/erasure.ts';

/** The accounts that were, or are being, erased. */
export interface ErasureStore {
  /** Records that the account is being erased, if not recorded yet, and keeps other processes from it until then. */
  begin(accountId: string, o: { readonly now: Date; readonly until: Date }): Promise<Erasure>;
  /** A due erasure, kept from other processes until then; undefined: there is none. */
  claimDue(o: { readonly now: Date; readonly until: Date }): Promise<Erasure | undefined>;
  save(erasure: Erasure): Promise<void>;
  /** Releases an erasure that could not continue: the first process after that time takes it. */
  postpone(accountId: string, until: Date): Promise<void>;
}
