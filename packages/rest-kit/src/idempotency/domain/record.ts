import type { Sealed } from '@fairlead/sealing/sealed-value';

/** A call that takes a key. */
export interface NewRun {
  /** Identifies this run of the key. */
  readonly runId: string;
  /** Undefined: the operator of the platform. */
  readonly accountId: string | undefined;
  /** Fingerprint of its body (AnswerCodec.fingerprint). */
  readonly fingerprint: string;
  /** How long the run holds the key, unless it ends earlier. */
  readonly leaseMs: number;
}

/** A stored response: sealed, in one or more pieces that each fit a document. */
export interface StoredAnswer {
  readonly status: number;
  readonly pieces: readonly Sealed[];
  /** The account that it concerns, if not the caller's; written, never read. */
  readonly accountId?: string | undefined;
}

/** The record of a key that is not free. */
export type Standing =
  | { readonly kind: 'running'; readonly runId: string; readonly fingerprint: string }
  | {
      readonly kind: 'kept';
      readonly runId: string;
      readonly fingerprint: string;
      readonly answer: StoredAnswer;
    };
