import { z } from 'zod';
import type { AuditEntryWithUser } from '@fairlead/audit-log/audit-trail';
import type { ChainReport } from '@fairlead/audit-log/use-cases/verify-chain';
import { lazyObject, timestamp } from '@fairlead/rest-kit/fields';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';

/** One line of an audit log. */
export const auditEntryRecord = z
  .strictObject({
    id: z.string(),
    actor: z.strictObject({
      kind: z.enum(['user', 'operator', 'system']),
      userId: z.string().nullable(),
      userName: z.string().nullable().describe('The current name; null if the user no longer exists.'),
      credentialType: z.string().nullable(),
      credentialId: z.string().nullable().describe('The id of the credential’s record, not the credential.'),
    }),
    action: z
      .string()
      .describe('The operation id in this document, or the name of an action of the platform itself.'),
    resource: z
      .strictObject({ type: z.string(), id: z.string() })
      .nullable()
      .describe(
        'The record that the action affected. A secret is shown as `hmac:` and a text that is always the same for that secret.',
      ),
    outcome: z
      .enum(['attempted', 'succeeded', 'failed'])
      .describe('`attempted`: recorded before the action, because the action must not happen unrecorded.'),
    requestId: z.string(),
    details: lazyObject.nullable(),
    createdAt: timestamp,
    updatedAt: timestamp.describe('The same as createdAt: an entry is never changed.'),
  })
  .meta({ id: 'AuditEntry' });

export function presentAuditEntry(entry: AuditEntryWithUser): z.output<typeof auditEntryRecord> {
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
    details: details === null ? null : new LazyJson(Buffer.from(details)),
    createdAt,
    updatedAt: createdAt,
  };
}

/** The result of comparing an audit log with its hash chain. */
export const auditReportRecord = z
  .strictObject({
    isIntact: z
      .boolean()
      .describe(
        'Whether the whole chain holds under the configured keys. False also while a key is missing: then the rest is not known.',
      ),
    brokenBatch: z.int().nullable().describe('The first batch that differs from what was sealed.'),
    brokenFrom: z
      .strictObject({
        batch: z.int(),
        position: z.int().describe('Zero-based place among the entries of the batch.'),
        entryId: z
          .string()
          .nullable()
          .describe(
            'The entry that was changed, moved, inserted or removed. If nothing tells it any more: the first that follows, or null if there is none in the batch.',
          ),
        afterEntryId: z
          .string()
          .nullable()
          .describe(
            'The last entry before it: the log holds up to and including that one. Null: there is none.',
          ),
      })
      .nullable()
      .describe('The entry from which on the log does not hold; null: no difference was found.'),
    problem: z.string().nullable().describe('What is wrong with it, as readable text.'),
    missingKeyId: z
      .string()
      .nullable()
      .describe(
        'The key of the first batch that could not be verified, because AUDIT_KEYS does not have it. The log holds up to there.',
      ),
    batchCount: z.int().describe('Batches that were found intact.'),
    entryCount: z.int().describe('Entries in those batches.'),
    keylessEntryCount: z
      .int()
      .describe(
        'Entries of those that were sealed before the chain had keys. For these, nothing shows a change by somebody who writes to the database and removes all that follows.',
      ),
    unchainedCount: z.int().describe('Entries of the last few seconds, which are not yet in a batch.'),
  })
  .meta({ id: 'AuditReport' });

export function presentAuditReport({
  fault,
  missingKeyId,
  ...counts
}: ChainReport): z.output<typeof auditReportRecord> {
  return {
    isIntact: fault === undefined && missingKeyId === undefined,
    brokenBatch: fault?.sequence ?? null,
    brokenFrom: fault === undefined ? null : { batch: fault.sequence, ...fault.from },
    problem:
      fault?.problem ?? (missingKeyId === undefined ? null : `The key ${missingKeyId} is not configured.`),
    missingKeyId: missingKeyId ?? null,
    ...counts,
  };
}
