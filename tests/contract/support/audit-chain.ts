import { createHash } from 'node:crypto';
import type { Collection, Db } from 'mongodb';

/** A stored audit entry, with the members that its hash covers. */
export interface StoredEntry {
  _id: string;
  accountId: string;
  createdAt: Date;
  expiresAt: Date;
  actor: Readonly<Record<string, string | undefined>>;
  action: string;
  resource: { type: string; id: string } | null;
  outcome: string;
  requestId: string;
  details: string | null;
  batch: number;
  position: number;
}

interface StoredBatch {
  _id: unknown;
  sequence: number;
  hash: string;
  sealedAt: Date;
  entriesKeptUntil: Date;
  keptUntil: Date;
  previousKeptUntil: Date | null;
}

/** Audit entries in the gateway's database. */
export function storedEntries(db: Db): Collection<StoredEntry> {
  return db.collection<StoredEntry>('audit_entries');
}

/**
 * Recomputes the hashes of an account's chain from batch `from` on, over the current entries, as an attacker with database access but
 * without keys can. `isStripped`: also removes the marks of keyed batches.
 */
export async function recomputeChain(
  db: Db,
  accountId: string,
  o: { readonly from: number; readonly isStripped: boolean },
): Promise<void> {
  const batches = db.collection<StoredBatch>('audit_batches');
  let previousHash = '';
  let sequence = 0;
  for (const batch of await batches.find({ accountId }).sort({ sequence: 1 }).toArray()) {
    sequence = batch.sequence;
    if (sequence < o.from) {
      previousHash = batch.hash;
      continue;
    }
    const of = await storedEntries(db).find({ accountId, batch: sequence }).sort({ position: 1 }).toArray();
    const members = {
      previousHash,
      count: of.length,
      firstEntryId: of[0]?._id ?? '',
      lastEntryId: of.at(-1)?._id ?? '',
      entriesHash: sha256(of.map(canonicalEntry).join('\n')),
    };
    const hash = hashOf(accountId, batch, members);
    const stripped = o.isStripped ? { $unset: { keyId: 1, entries: 1 } as const } : {};
    await batches.updateOne({ _id: batch._id }, { $set: { ...members, hash }, ...stripped });
    previousHash = hash;
  }
  const head = { hash: previousHash, sequence };
  await db.collection<{ _id: string }>('audit_chains').updateOne({ _id: accountId }, { $set: head });
}

function hashOf(
  accountId: string,
  batch: StoredBatch,
  members: Readonly<Record<'previousHash' | 'firstEntryId' | 'lastEntryId' | 'entriesHash', string>> & {
    readonly count: number;
  },
): string {
  const { previousHash, count, firstEntryId, lastEntryId, entriesHash } = members;
  return sha256(
    JSON.stringify([
      'fairlead-audit-batch-v1',
      accountId,
      batch.sequence,
      previousHash,
      count,
      firstEntryId,
      lastEntryId,
      entriesHash,
      batch.sealedAt.toISOString(),
      batch.entriesKeptUntil.toISOString(),
      batch.keptUntil.toISOString(),
      batch.previousKeptUntil?.toISOString() ?? null,
    ]),
  );
}

function canonicalEntry({ actor, resource, ...entry }: StoredEntry): string {
  return JSON.stringify([
    'fairlead-audit-entry-v1',
    entry._id,
    entry.accountId,
    entry.createdAt.toISOString(),
    entry.expiresAt.toISOString(),
    actor['kind'],
    actor['userId'] ?? null,
    actor['credentialType'] ?? null,
    actor['credentialId'] ?? null,
    entry.action,
    resource?.type ?? null,
    resource?.id ?? null,
    entry.outcome,
    entry.requestId,
    entry.details,
  ]);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
