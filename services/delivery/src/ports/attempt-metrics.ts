import type { SettledAttempt } from '../domain/delivery.ts';

/** Metrics of the attempts of one process. */
export interface AttemptMetrics {
  /** An attempt begins, so long after it was due. */
  began(lateMs: number): void;
  /** `fenced`: somebody else had its claim; `failed`: it could not be made, or its result not be written. */
  ended(outcome: SettledAttempt['state'] | 'fenced'): void;
  /** How long the longest overdue attempt has been waiting. */
  overdue(longestMs: number): void;
  close(): void;
}
