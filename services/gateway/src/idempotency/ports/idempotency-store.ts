import type { NewRun, Standing, StoredAnswer } from '../domain/record.ts';

/** Where keys stand. Times are the store's own, so that clocks of replicas do not matter. */
export interface IdempotencyStore {
  /** Gives a free key to `run`, or tells what stands under it. A key is free again 24 h after its last run began. */
  begin(id: string, run: NewRun): Promise<Standing | undefined>;
  /** Gives the key of the run `staleRunId` to `run`. False: it was kept or released, its lease lasts, or another was first. */
  takeOver(id: string, staleRunId: string, run: NewRun): Promise<boolean>;
  /** Keeps the answer of a run. False: the key is no longer that run's, and nothing is stored. */
  keep(id: string, runId: string, answer: StoredAnswer): Promise<boolean>;
  /** Frees the key of a run that has no answer to keep. Does nothing where the key is not that run's. */
  release(id: string, runId: string): Promise<void>;
}
