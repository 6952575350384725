import type { Sealed } from '@fairlead/service-kit/sealing/sealing';

/** A call that takes a key. */
export interface NewRun {
  /** Tells this run of the key from any other. */
  readonly runId: string;
  /** Undefined: the operator of the platform. */
  readonly accountId: string | undefined;
  /** Of its body (AnswerCodec.fingerprint). */
  readonly fingerprint: string;
  /** How long the run has the key to itself, unless it ends before. */
  readonly leaseMs: number;
}

/** An answer as it is stored: sealed, in pieces that fit a document each; at least one. */
export interface StoredAnswer {
  readonly status: number;
  readonly pieces: readonly Sealed[];
  /** The account that it is about, where that is not the caller's; written, never read. */
  readonly accountId?: string | undefined;
}

/** What stands under a key that is not free. */
export type Standing =
  | { readonly kind: 'running'; readonly runId: string; readonly fingerprint: string }
  | {
      readonly kind: 'kept';
      readonly runId: string;
      readonly fingerprint: string;
      readonly answer: StoredAnswer;
    };

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
