/** Whose key it is: a user of an account, or the operator of the platform. */
export type KeyOwner = { readonly accountId: string; readonly userId: string } | 'operator';

/** One call that carries an Idempotency-Key. */
export interface IdempotentCall {
  readonly owner: KeyOwner;
  readonly key: string;
  /** Path and query, as sent. */
  readonly target: string;
  /** Compared by its bytes. */
  readonly body: Uint8Array;
  /** Longest time that the call may take. */
  readonly timeoutMs: number;
}

/** An answer as it was, or will be, sent. */
export interface KeptAnswer {
  readonly status: number;
  /** JSON; empty: no content. */
  readonly text: string;
  /** Of an answer to the operator: the account that it is about, with which it goes. */
  readonly accountId?: string | undefined;
}

/** Does what a caller asks for once, however often it is asked (completion.md "Everywhere"). */
export interface Idempotency {
  /**
   * Runs `execute` if no call of the same owner, key and target did within 24 h, and keeps its answer; otherwise gives the
   * answer that was kept. IDEMPOTENCY_CONFLICT where the body differs, IDEMPOTENCY_IN_PROGRESS while the first one runs.
   * What `execute` throws is thrown on and not kept: the next call runs anew.
   */
  run(
    call: IdempotentCall,
    execute: () => Promise<KeptAnswer>,
  ): Promise<{ readonly answer: KeptAnswer; readonly isReplayed: boolean }>;
  /** Waits up to `graceMs` for what runs on though its client is gone, and for answers that are not written yet. */
  drain(graceMs: number): Promise<void>;
}
