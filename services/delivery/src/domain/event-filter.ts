import type { EventDelivery } from './event-delivery.ts';

/** Selects events of an account; an absent member selects all. Trigger and destination need not exist. */
export interface EventFilter {
  readonly triggerId?: string;
  /** One of the event's destinations. */
  readonly destinationId?: string;
  readonly delivery?: EventDelivery;
  /** Occurred at this time or later. */
  readonly from?: Date;
  /** Occurred earlier. */
  readonly to?: Date;
}

/** The filter of a bulk replay. */
export type ReplayFilter = EventFilter & Required<Pick<EventFilter, 'from'>>;
