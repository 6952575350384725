import type { JsonObject } from '@fairlead/connector-model/model';

/** A time during which a trigger may have missed firings. */
export interface Gap {
  readonly from: Date;
  readonly to: Date;
  readonly reason: string;
}

/** A trigger of an account. What it names may be gone. */
export interface Trigger {
  /** `trg_…` */
  readonly id: string;
  readonly name: string;
  readonly triggerTypeSlug: string;
  /** The application of its type and of its connection. */
  readonly applicationSlug: string;
  readonly connectionId: number;
  /** Matches the type's `configSchema`. */
  readonly configuration: JsonObject;
  /** JSONata over the payload; null: every firing is an event. */
  readonly filter: string | null;
  /** `dst_…`, the first one first. */
  readonly destinationIds: readonly string[];
  readonly isEnabled: boolean;
  readonly lastFiredAt: Date | null;
  readonly lastError: string | null;
  /** The last ten, oldest first. */
  readonly gaps: readonly Gap[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
