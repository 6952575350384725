import type { Erasure } from '../domain/erasure.ts';

/** Which accounts were, or are being, erased. */
export interface ErasureStore {
  /** Notes that the account is being erased, where that is not noted yet, and keeps others from it until then. */
  begin(accountId: string, o: { readonly now: Date; readonly until: Date }): Promise<Erasure>;
  /** An erasure whose time has come, kept from others until then; undefined: there is none. */
  claimDue(o: { readonly now: Date; readonly until: Date }): Promise<Erasure | undefined>;
  save(erasure: Erasure): Promise<void>;
  /** Gives an erasure that could not go on to whoever comes first after that time. */
  postpone(accountId: string, until: Date): Promise<void>;
}
