import type { ClientSession } from 'mongodb';
import type { AuditEvent } from '../domain/audit-event.ts';

/** Records an event in the transaction of its change, so that neither exists without the other. */
export type RecordAuditEvent = (session: ClientSession, event: AuditEvent) => Promise<void>;
