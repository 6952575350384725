import type { Target } from './sender.ts';

/** The facts about a destination that the worker needs. */
export interface DeliveryTarget extends Target {
  readonly accountId: string;
  readonly isEnabled: boolean;
  readonly epoch: number;
  /** Events captured before this time are not delivered automatically; null: all are. */
  readonly resumeFrom: Date | null;
}

/** The result of reading a destination. */
export type TargetState = Omit<DeliveryTarget, 'isCurrent'>;

/** Reads of destinations for requests that begin now. */
export interface Targets {
  /**
   * The destination, read at most 100 ms before the promise resolves; undefined: there is none. It is current for 100 ms after the read.
   */
  read(destinationId: string): Promise<DeliveryTarget | undefined>;
}
