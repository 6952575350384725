import type { SealedValue } from '@fairlead/sealing/sealed-value';

/** The run of a call that holds a key. */
export interface NewRun {
  /** The run's id. */
  readonly runId: string;
  /** The account; undefined: the operator of the platform. */
  readonly accountId: string | undefined;
  /** The body's fingerprint (AnswerCodec.fingerprint). */
  readonly fingerprint: string;
  /** Time for which the run holds the key, unless it ends earlier. */
  readonly leaseMs: number;
}

/** A stored response: sealed, in pieces that each fit a document. */
export interface StoredAnswer {
  readonly status: number;
  readonly pieces: readonly SealedValue[];
  /** The account that it is about, if not the caller's; written but never read. */
  readonly accountId?: string | undefined;
}

/** The record of a used key. */
export type KeyState =
  | { readonly kind: 'running'; readonly runId: string; readonly fingerprint: string }
  | {
      readonly kind: 'kept';
      readonly runId: string;
      readonly fingerprint: string;
      readonly answer: StoredAnswer;
    };
