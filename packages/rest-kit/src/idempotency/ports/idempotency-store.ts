import type { NewRun, Standing, StoredAnswer } from '../domain/record.ts';

/** The storage of keys. Times are the store's own, so that the clocks of replicas do not matter. */
export interface IdempotencyStore {
  /** Gives a free key to `run`, or returns the record of one that is not free. A key is free again 24 h after its last run began. */
  begin(id: string, run: NewRun): Promise<Standing | undefined>;
  /**
   * Gives the key of the run `staleRunId` to `run`. False: its response is stored, it was released, its lease is valid,
   * or another run was first.
   */
  takeOver(id: string, staleRunId: string, run: NewRun): Promise<boolean>;
  /** Stores the response of a run. False: the run no longer holds the key, and nothing is stored. */
  keep(id: string, runId: string, answer: StoredAnswer): Promise<boolean>;
  /** Frees the key of a run without a response to store. Does nothing if the run does not hold the key. */
  release(id: string, runId: string): Promise<void>;
}
