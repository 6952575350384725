import { createHash } from 'node:crypto';
import { canonicalEntry } from './entry.ts';
import type { AuditEntry } from './entry.ts';

/** Entries of one log that were chained together, without the entries. */
export interface AuditBatch {
  readonly accountId: string;
  /** 1, 2, 3 … in one log. */
  readonly sequence: number;
  /** `hash` of the batch before; empty for the first. */
  readonly previousHash: string;
  readonly count: number;
  readonly firstEntryId: string;
  readonly lastEntryId: string;
  /** SHA-256, in hex, over the canonical texts of the entries in their order, one a line. */
  readonly entriesHash: string;
  readonly sealedAt: Date;
  /** Until then none of its entries is removed. */
  readonly entriesKeptUntil: Date;
  /** Until then the batch is kept; never before that of the batch before, so that what is kept is the end of the chain. */
  readonly keptUntil: Date;
  /** `keptUntil` of the batch before: by then this one may be the first that is left. Null for the first. */
  readonly previousKeptUntil: Date | null;
  /** SHA-256, in hex, over all of the above. */
  readonly hash: string;
}

/** The end of a log's chain: what the next batch is linked to. Kept when every batch is gone. */
export interface ChainHead {
  readonly sequence: number;
  readonly hash: string;
  readonly keptUntil: Date | null;
}

/** The head of a log that has no batch yet. */
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

/** Clocks differ, and what has expired is removed some time after: near its end, nothing is said to be missing or too much. */
const EXPIRY_MARGIN_MS = 60 * 60_000;

/** Whether what is kept until `keptUntil` has to be there at `now`. */
export function mustExist(keptUntil: Date, now: Date): boolean {
  return now.getTime() < keptUntil.getTime() - EXPIRY_MARGIN_MS;
}

/** Where a chain is broken first. */
export interface ChainFault {
  readonly sequence: number;
  /** For people. */
  readonly problem: string;
}

/**
 * What is wrong with `batch`, undefined: nothing, given the head of the chain before it (undefined: `batch` is the first
 * that is left) and the entries that claim to be in it, in the order that they claim. Entries are not looked at once the
 * first of them may be gone; the batch itself still is.
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
  // No canonical text holds a line break, so the texts cannot run into each other.
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
