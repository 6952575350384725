import type { IdempotentCall, StoredResponse } from './domain/call.ts';

/** Runs a call once, however often it is repeated (rows completion.everywhere.42 to 50). */
export interface Idempotency {
  /**
   * Runs `execute` if no call of the same owner, key and target did within 24 h, and stores its response; otherwise
   * returns the stored response. IDEMPOTENCY_CONFLICT if the body differs, IDEMPOTENCY_IN_PROGRESS while the first call
   * runs. An error that `execute` throws is rethrown and not stored: the next call runs again.
   */
  run(
    call: IdempotentCall,
    execute: () => Promise<StoredResponse>,
  ): Promise<{ readonly answer: StoredResponse; readonly isReplayed: boolean }>;
  /** Waits up to `graceMs` for calls whose client has disconnected, and for responses that are not yet written. */
  drain(graceMs: number): Promise<void>;
}
