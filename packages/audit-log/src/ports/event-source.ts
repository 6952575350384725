import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { FetchedEvent } from '../domain/event.ts';

/** An event that does not have the declared form: its entry cannot be written. */
export interface UnreadableEvent {
  /** The event's position among the changes of the service. */
  readonly number: string;
  /** For people; contains nothing of the event's content. */
  readonly problem: string;
}

/** The events of some changes, in the order of the changes. */
export interface EventPage {
  readonly events: readonly FetchedEvent[];
  readonly unreadable: readonly UnreadableEvent[];
  readonly nextCursor: string;
  /** Whether there may be more events now; false: there were none after these. */
  readonly hasMore: boolean;
}

/** A service that records audit events with its changes. */
export interface EventSource {
  /** The service's name. */
  readonly name: string;
  /**
   * The events of the next changes after `cursor`, at most `limit` changes; '' stands before the oldest kept change. Throws NOT_FOUND for a
   * cursor after which changes may have been removed.
   */
  read(ctx: RequestContext, cursor: string, limit: number): Promise<EventPage>;
}
