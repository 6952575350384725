import { createHash } from 'node:crypto';
import { canonicalEntry } from './entry.ts';
import type { AuditEntry } from './entry.ts';
import type { ChainKeys, KeyedBatch, KeylessBatch, SealedEntry } from './batch.ts';

/** The batch of an entry's MAC, and the MAC of the previous entry; for the first entry, the previous batch's `hash`. */
export interface EntryPlace {
  readonly keyId: string;
  readonly sequence: number;
  readonly position: number;
  readonly previous: string;
}

/**
 * The MAC of an entry at its place; undefined if the key is not configured or the entry has no canonical text, which happens only to
 * documents that were not written by this release.
 */
export function macOfEntry(keys: ChainKeys, entry: AuditEntry, place: EntryPlace): string | undefined {
  const text = written(() =>
    JSON.stringify([
      'fairlead-audit-chained-entry-v2',
      place.sequence,
      place.position,
      place.previous,
      place.keyId,
      canonicalEntry(entry),
    ]),
  );
  return text === undefined ? undefined : keys.mac(place.keyId, text);
}

/** The MAC of a batch over all its other members; undefined in the same cases as an entry's MAC. */
export function macOfBatch(keys: ChainKeys, batch: Omit<KeyedBatch, 'hash'>): string | undefined {
  const text = written(() =>
    JSON.stringify([
      'fairlead-audit-batch-v2',
      ...membersOf(batch),
      batch.keyId,
      batch.entries.map(({ id, mac }: SealedEntry) => [id, mac]),
    ]),
  );
  return text === undefined ? undefined : keys.mac(batch.keyId, text);
}

/** `hash` of a batch without a key. */
export function hashOfBatch(batch: Omit<KeylessBatch, 'hash'>): string | undefined {
  const { entriesHash } = batch;
  const text = written(() => {
    const [accountId, sequence, previousHash, count, first, last, ...times] = membersOf(batch);
    return JSON.stringify([
      'fairlead-audit-batch-v1',
      accountId,
      sequence,
      previousHash,
      count,
      first,
      last,
      entriesHash,
      ...times,
    ]);
  });
  return text && sha256(text);
}

/** `entriesHash` of a batch without a key. */
export function hashOfEntries(entries: readonly AuditEntry[]): string | undefined {
  // No canonical text contains a line break, so two texts cannot be mistaken for one.
  const text = written(() => entries.map(canonicalEntry).join('\n'));
  return text && sha256(text);
}

/** The members that batches with and without a key share, except `hash`. */
function membersOf(batch: Omit<KeyedBatch, 'hash'> | Omit<KeylessBatch, 'hash'>): unknown[] {
  return [
    batch.accountId,
    batch.sequence,
    batch.previousHash,
    batch.count,
    batch.firstEntryId,
    batch.lastEntryId,
    batch.sealedAt.toISOString(),
    batch.entriesKeptUntil.toISOString(),
    batch.keptUntil.toISOString(),
    batch.previousKeptUntil?.toISOString() ?? null,
  ];
}

/** The canonical text, or undefined if a member of the document has another type than declared. */
function written(text: () => string): string | undefined {
  try {
    return text();
  } catch {
    return undefined;
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
