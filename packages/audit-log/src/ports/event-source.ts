import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { FetchedEvent } from '../domain/event.ts';

/** An event that is not as declared: its entry cannot be written. */
export interface UnreadableEvent {
  /** Its position among the changes of the service. */
  readonly number: string;
  /** For people; nothing of the event's content. */
  readonly problem: string;
}

/** The events of some changes, in the order of the changes. */
export interface EventPage {
  readonly events: readonly FetchedEvent[];
  readonly unreadable: readonly UnreadableEvent[];
  readonly nextCursor: string;
  /** There may be more now; false: there were none after these. */
  readonly hasMore: boolean;
}

/** A service that records audit events with its changes. */
export interface EventSource {
  /** The service's name. */
  readonly name: string;
  /**
   * The events of the next changes after `cursor`, at most `limit` changes; '' is before all that are kept. Throws
   * NOT_FOUND for a cursor after which changes may have been removed.
   */
  read(ctx: RequestContext, cursor: string, limit: number): Promise<EventPage>;
}
