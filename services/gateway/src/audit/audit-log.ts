import type { AuditEvent } from './domain/event.ts';

/** The append-only record of who did what. */
export interface AuditLog {
  /** Resolves once the entry is durable (majority, journaled); otherwise rejects with the cause. */
  record(event: AuditEvent): Promise<void>;
}
