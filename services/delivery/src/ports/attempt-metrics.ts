import type { SettledAttempt } from '../domain/delivery.ts';

/** Metrics of the attempts of one process. */
export interface AttemptMetrics {
  /** An attempt begins, this many milliseconds after it was due. */
  began(lateMs: number): void;
  /** `fenced`: another process has its claim. `failed`: it could not be made, or its result could not be written. */
  ended(outcome: SettledAttempt['state'] | 'fenced'): void;
  /** Age of the most overdue attempt. */
  overdue(longestMs: number): void;
  close(): void;
}
