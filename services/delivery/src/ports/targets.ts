import type { Target } from './sender.ts';

/** A destination as the worker needs it that makes attempts. */
export interface DeliveryTarget extends Target {
  readonly accountId: string;
  readonly isEnabled: boolean;
  readonly epoch: number;
  /** Events captured before are not delivered by themselves; null: all are. */
  readonly resumeFrom: Date | null;
}

/** A destination as it was read. */
export type ReadTarget = Omit<DeliveryTarget, 'isCurrent'>;

/** Reads of destinations that may be used for requests that begin now. */
export interface Targets {
  /**
   * The destination, read at most 100 ms before the promise resolves; undefined: there is none. It is current until it was
   * read 100 ms ago.
   */
  read(destinationId: string): Promise<DeliveryTarget | undefined>;
}
