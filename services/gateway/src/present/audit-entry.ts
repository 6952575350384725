import { z } from 'zod';
import type { ShownAuditEntry } from '../audit/audit-trail.ts';
import type { ChainReport } from '../audit/use-cases/verify-chain.ts';
import { jsonObject, timestamp } from '../http/fields.ts';

/** One line of an audit log. */
export const auditEntryRecord = z
  .strictObject({
    id: z.string(),
    actor: z.strictObject({
      kind: z.enum(['user', 'operator', 'system']),
      userId: z.string().nullable(),
      userName: z.string().nullable().describe('As it is now; null where there is no such user any more.'),
      credentialType: z.string().nullable(),
      credentialId: z.string().nullable().describe('The record of the credential, not the credential.'),
    }),
    action: z
      .string()
      .describe('The operation, as this document calls it, or what the platform did by itself.'),
    resource: z
      .strictObject({ type: z.string(), id: z.string() })
      .nullable()
      .describe(
        'What it was done to. A secret is not shown: `hmac:` and a text that is always the same for it.',
      ),
    outcome: z
      .enum(['attempted', 'succeeded', 'failed'])
      .describe('`attempted`: recorded before it was done, because it may not be done unrecorded.'),
    requestId: z.string(),
    details: jsonObject.nullable(),
    createdAt: timestamp,
    updatedAt: timestamp.describe('The same: an entry is never changed.'),
  })
  .meta({ id: 'AuditEntry' });

/** An audit entry. */
export function presentAuditEntry(entry: ShownAuditEntry): z.output<typeof auditEntryRecord> {
  const { id, actor, userName, action, resource, outcome, requestId, details } = entry;
  const createdAt = entry.createdAt.toISOString();
  return {
    id,
    actor: {
      kind: actor.kind,
      userId: actor.userId ?? null,
      userName,
      credentialType: actor.credentialType ?? null,
      credentialId: actor.credentialId ?? null,
    },
    action,
    resource: resource && { type: resource.type, id: resource.id },
    outcome,
    requestId,
    details: details === null ? null : jsonObject.parse(JSON.parse(details)),
    createdAt,
    updatedAt: createdAt,
  };
}

/** What came of a comparison of an audit log with its chain. */
export const auditReportRecord = z
  .strictObject({
    isIntact: z.boolean(),
    brokenBatch: z.int().nullable().describe('The first batch that is not as it was sealed.'),
    problem: z.string().nullable().describe('What is wrong with it, for people.'),
    batchCount: z.int().describe('Batches that were found whole.'),
    entryCount: z.int().describe('Entries in them.'),
    unchainedCount: z.int().describe('Entries of the last seconds, which are in no batch yet.'),
  })
  .meta({ id: 'AuditReport' });

/** A report. */
export function presentAuditReport({
  fault,
  batchCount,
  entryCount,
  unchainedCount,
}: ChainReport): z.output<typeof auditReportRecord> {
  return {
    isIntact: fault === undefined,
    brokenBatch: fault?.sequence ?? null,
    problem: fault?.problem ?? null,
    batchCount,
    entryCount,
    unchainedCount,
  };
}
