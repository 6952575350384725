import type { AuditEntry } from '../domain/entry.ts';

/** The time of the entries that tests create. */
export const MADE_AT = new Date('2026-11-21T10:00:00.000Z');

const KEPT_MS = 400 * 24 * 60 * 60_000;

/** An entry of the log of `acc_1`, kept for 400 days, with the given members instead of the defaults. */
export function testEntry(id: string, o: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id,
    accountId: 'acc_1',
    createdAt: MADE_AT,
    expiresAt: new Date(MADE_AT.getTime() + KEPT_MS),
    actor: { kind: 'user', userId: 'usr_1', credentialType: 'apiKey', credentialId: 'key_1' },
    action: 'createConnection',
    resource: { type: 'connection', id: '7' },
    outcome: 'succeeded',
    requestId: 'req-1',
    details: '{"members":["name"]}',
    ...o,
  };
}
