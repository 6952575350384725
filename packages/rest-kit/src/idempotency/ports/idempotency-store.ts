import type { KeyLock, KeyState, StoredAnswer } from '../domain/record.ts';

/** The storage of keys. All times are the database's, so the clocks of replicas do not matter. */
export interface IdempotencyStore {
  /** Acquires a free key for `lock`, or returns the record of a used key. A key becomes free 24 h after it was last acquired. */
  acquire(id: string, lock: KeyLock): Promise<KeyState | undefined>;
  /**
   * Transfers the key from the lock `staleLockId` to `lock`. False: its response is stored, the key was released, its
   * lease is valid, or another call was first.
   */
  takeOver(id: string, staleLockId: string, lock: KeyLock): Promise<boolean>;
  /** Stores the response of a call. False: the lock no longer holds the key, and nothing was stored. */
  keep(id: string, lockId: string, answer: StoredAnswer): Promise<boolean>;
  /** Releases a key without a response. No effect if the lock does not hold it. */
  release(id: string, lockId: string): Promise<void>;
}
