import type { SealedValue } from '@fairlead/sealing/sealed-value';

/** The lock of a call on its key. */
export interface KeyLock {
  /** A GUID. */
  readonly lockId: string;
  /** The account; undefined: the operator of the platform. */
  readonly accountId: string | undefined;
  /** The body's fingerprint (AnswerCodec.fingerprint). */
  readonly fingerprint: string;
  /** Time for which the call holds the key, unless it ends earlier. */
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
  | { readonly kind: 'locked'; readonly lockId: string; readonly fingerprint: string }
  | {
      readonly kind: 'kept';
      readonly lockId: string;
      readonly fingerprint: string;
      readonly answer: StoredAnswer;
    };
