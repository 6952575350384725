import type { IdempotentCall, StoredResponse } from './domain/call.ts';

/** Runs a call once, however often it is repeated (rows completion.everywhere.42 to 50). */
export interface Idempotency {
  /**
   * Runs `execute` and stores its response, unless a call with the same owner, key and target ran within 24 h; then
   * it returns that call's response. Throws IDEMPOTENCY_CONFLICT if the body differs, and IDEMPOTENCY_IN_PROGRESS
   * while the first call runs. An error that `execute` throws is rethrown and not stored, so the next call runs
   * again.
   */
  run(
    call: IdempotentCall,
    execute: () => Promise<StoredResponse>,
  ): Promise<{ readonly answer: StoredResponse; readonly isReplayed: boolean }>;
  /** Waits up to `graceMs` for calls whose clients have disconnected, and for responses that are still being written. */
  drain(graceMs: number): Promise<void>;
}
