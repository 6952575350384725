import type { Target } from './sender.ts';

/** A destination as the worker needs it that makes attempts. */
export interface DeliveryTarget extends Target {
  readonly accountId: string;
  readonly isEnabled: boolean;
  readonly epoch: number;
  readonly hasFailures: boolean;
  /** What was captured before is not delivered by itself; null: everything is. */
  readonly resumeFrom: Date | null;
}

/** Reads of destinations that may be used for requests that begin now. */
export interface Targets {
  /**
   * The destination, read at most 100 ms before the promise resolves; undefined: there is none. A request with it must
   * begin in the same turn of the event loop.
   */
  read(destinationId: string): Promise<DeliveryTarget | undefined>;
}
