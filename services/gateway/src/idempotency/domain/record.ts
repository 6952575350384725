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
