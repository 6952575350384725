import type { NewRun, KeyState, StoredAnswer } from '../domain/record.ts';

/** The storage of keys. All times are the database's, so the clocks of replicas do not matter. */
export interface IdempotencyStore {
  /** Acquires a free key for `run`, or returns the record of a used key. A key becomes free 24 h after its last run began. */
  begin(id: string, run: NewRun): Promise<KeyState | undefined>;
  /**
   * Transfers the key of the run `staleRunId` to `run`. False: its response is stored, the key was released, its
   * lease is valid, or another run was first.
   */
  takeOver(id: string, staleRunId: string, run: NewRun): Promise<boolean>;
  /** Stores the response of a run. False: the run no longer holds the key, and nothing was stored. */
  keep(id: string, runId: string, answer: StoredAnswer): Promise<boolean>;
  /** Releases the key of a run without a response. No effect if the run does not hold the key. */
  release(id: string, runId: string): Promise<void>;
}
