import type { IdempotentCall, KeptAnswer } from './domain/call.ts';

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
