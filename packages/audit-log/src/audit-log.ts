import type { AuditEvent, FetchedEvent } from './domain/event.ts';

/** The append-only record of who did what. */
export interface AuditLog {
  /** Resolves once the entry is durable (majority, journaled); otherwise rejects with the cause. */
  record(event: AuditEvent): Promise<void>;
}

/** The audit log for events that other services recorded with their changes. */
export interface FetchedEventLog {
  /**
   * Writes the entries that do not exist yet, each at the time of its event, and resolves once all are durable. Events
   * may be passed any number of times, also by several replicas at once.
   */
  recordFetched(events: readonly FetchedEvent[]): Promise<void>;
}
