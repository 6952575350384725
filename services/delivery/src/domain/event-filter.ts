import type { EventDelivery } from './event-delivery.ts';

/** Which events of an account are wanted; an absent member wants all. The trigger and the destination need not exist. */
export interface EventFilter {
  readonly triggerId?: string;
  /** One of the event's destinations. */
  readonly destinationId?: string;
  readonly delivery?: EventDelivery;
  /** Occurred then or later. */
  readonly from?: Date;
  /** Occurred earlier. */
  readonly to?: Date;
}

/** The filter of a request to replay many. */
export type ReplayFilter = EventFilter & Required<Pick<EventFilter, 'from'>>;
