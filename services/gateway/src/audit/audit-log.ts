import type { AuditEvent } from './domain/event.ts';

/** The append-only record of who did what. */
export interface AuditLog {
  /** Resolves once the entry is durable (majority, journaled); rejects where it is not, with whatever kept it from it. */
  record(event: AuditEvent): Promise<void>;
}
