import { createHash } from 'node:crypto';
import { canonicalEntry } from './entry.ts';
import type { AuditEntry } from './entry.ts';

/** Entries of one log that were chained together, without the entries. */
export interface AuditBatch {
  readonly accountId: string;
  /** 1, 2, 3 … in one log. */
  readonly sequence: number;
  /** `hash` of the previous batch; empty for the first. */
  readonly previousHash: string;
  readonly count: number;
  readonly firstEntryId: string;
  readonly lastEntryId: string;
  /** SHA-256, in hex, over the canonical texts of the entries in order, one per line. */
  readonly entriesHash: string;
  readonly sealedAt: Date;
  /** No entry of the batch is removed before this time. */
  readonly entriesKeptUntil: Date;
  /** The batch is kept until this time; never earlier than the previous batch's, so that the kept batches are the end of the chain. */
  readonly keptUntil: Date;
  /** `keptUntil` of the previous batch: from then on this one may be the first that remains. Null for the first. */
  readonly previousKeptUntil: Date | null;
  /** SHA-256, in hex, over all of the above. */
  readonly hash: string;
}

/** The end of a log's chain, to which the next batch is linked. Kept even when every batch has expired. */
export interface ChainHead {
  readonly sequence: number;
  readonly hash: string;
  readonly keptUntil: Date | null;
}

/** The head of a log without batches. */
export const EMPTY_CHAIN: ChainHead = { sequence: 0, hash: '', keptUntil: null };

/** The next batch of a log after `head`, of at least one entry. */
export function sealBatch(
  head: ChainHead,
  entries: readonly [AuditEntry, ...AuditEntry[]],
  now: Date,
): AuditBatch {
  const [first] = entries;
  const expiries = entries.map(({ expiresAt }) => expiresAt.getTime());
  const unhashed = {
    accountId: first.accountId,
    sequence: head.sequence + 1,
    previousHash: head.hash,
    count: entries.length,
    firstEntryId: first.id,
    lastEntryId: (entries.at(-1) ?? first).id,
    entriesHash: hashEntries(entries),
    sealedAt: now,
    entriesKeptUntil: new Date(Math.min(...expiries)),
    keptUntil: new Date(Math.max(...expiries, head.keptUntil?.getTime() ?? 0)),
    previousKeptUntil: head.keptUntil,
  };
  return { ...unhashed, hash: hashBatch(unhashed) };
}

/** The head of a log whose last batch is `batch`. */
export function headOf({ sequence, hash, keptUntil }: AuditBatch): ChainHead {
  return { sequence, hash, keptUntil };
}

/** Clocks differ, and expired documents are removed some time later: near its expiry nothing is reported as missing or surplus. */
const EXPIRY_MARGIN_MS = 60 * 60_000;

/** Whether a document that is kept until `keptUntil` must still exist at `now`. */
export function mustExist(keptUntil: Date, now: Date): boolean {
  return now.getTime() < keptUntil.getTime() - EXPIRY_MARGIN_MS;
}

/** The first fault in a chain. */
export interface ChainFault {
  readonly sequence: number;
  /** For people. */
  readonly problem: string;
}

/**
 * The fault of `batch`, or undefined, given the head of the chain before it (undefined: `batch` is the first that
 * remains) and the entries that claim to be in it, in their claimed order. Entries are not checked once the first of
 * them may have expired; the batch itself still is.
 */
export function findFault(
  previous: ChainHead | undefined,
  batch: AuditBatch,
  entries: readonly AuditEntry[],
  now: Date,
): ChainFault | undefined {
  const fault = (problem: string, sequence = batch.sequence): ChainFault => ({ sequence, problem });
  if (previous === undefined) {
    const { sequence, previousKeptUntil } = batch;
    const mayBeFirst = sequence === 1 || (previousKeptUntil !== null && !mustExist(previousKeptUntil, now));
    if (!mayBeFirst) return fault('The batch is missing.', sequence - 1);
  } else if (batch.sequence !== previous.sequence + 1) {
    return fault('The batch is missing.', previous.sequence + 1);
  } else if (batch.previousHash !== previous.hash) {
    return fault('The batch is not linked to the one before it.');
  }
  if (batch.hash !== hashBatch(batch)) return fault('The batch was changed.');
  if (!mustExist(batch.entriesKeptUntil, now)) return undefined;
  if (entries.length !== batch.count) {
    return fault(`The batch was sealed with ${batch.count} entries and has ${entries.length}.`);
  }
  if (hashEntries(entries) !== batch.entriesHash) {
    return fault('An entry of the batch was changed, exchanged or moved.');
  }
  return undefined;
}

function hashEntries(entries: readonly AuditEntry[]): string {
  // No canonical text contains a line break, so the texts cannot run together.
  return sha256(entries.map(canonicalEntry).join('\n'));
}

function hashBatch(batch: Omit<AuditBatch, 'hash'>): string {
  return sha256(
    JSON.stringify([
      'fairlead-audit-batch-v1',
      batch.accountId,
      batch.sequence,
      batch.previousHash,
      batch.count,
      batch.firstEntryId,
      batch.lastEntryId,
      batch.entriesHash,
      batch.sealedAt.toISOString(),
      batch.entriesKeptUntil.toISOString(),
      batch.keptUntil.toISOString(),
      batch.previousKeptUntil?.toISOString() ?? null,
    ]),
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
