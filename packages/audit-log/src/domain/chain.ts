import { macOfBatch, macOfEntry } from './batch-hashes.ts';
import type { AuditEntry } from './entry.ts';
import type { ChainKeys, SealedEntry, KeyedBatch, AuditBatch } from './batch.ts';

/** The maximum number of entries in one batch. */
export const MAX_BATCH = 500;

/** The end of a log's chain, to which the next batch is linked. Kept even when every batch has expired. */
export interface ChainHead {
  readonly sequence: number;
  readonly hash: string;
  readonly keptUntil: Date | null;
}

/** The head of a log without batches. */
export const EMPTY_CHAIN: ChainHead = { sequence: 0, hash: '', keptUntil: null };

/** The next batch of a log after `head`, of at least one entry, sealed with the current key. */
export function sealBatch(
  head: ChainHead,
  entries: readonly [AuditEntry, ...AuditEntry[]],
  { keys, now }: { readonly keys: ChainKeys; readonly now: Date },
): KeyedBatch {
  const [first] = entries;
  const expiries = entries.map(({ expiresAt }) => expiresAt.getTime());
  const sequence = head.sequence + 1;
  const keyId = keys.current;
  const sealed: SealedEntry[] = [];
  for (const [position, entry] of entries.entries()) {
    const previous = sealed.at(-1)?.mac ?? head.hash;
    const mac = sealedWith(macOfEntry(keys, entry, { keyId, sequence, position, previous }), keyId);
    sealed.push({ id: entry.id, mac });
  }
  const unsealed = {
    accountId: first.accountId,
    sequence,
    previousHash: head.hash,
    count: entries.length,
    firstEntryId: first.id,
    lastEntryId: (entries.at(-1) ?? first).id,
    sealedAt: now,
    entriesKeptUntil: new Date(Math.min(...expiries)),
    keptUntil: new Date(Math.max(...expiries, head.keptUntil?.getTime() ?? 0)),
    previousKeptUntil: head.keptUntil,
    keyId,
    entries: sealed,
  };
  return { ...unsealed, hash: sealedWith(macOfBatch(keys, unsealed), keyId) };
}

function sealedWith(mac: string | undefined, keyId: string): string {
  if (mac === undefined) throw new Error(`An audit batch cannot be sealed with the key ${keyId}.`);
  return mac;
}

/** The head of a log whose last batch is `batch`. */
export function headOf({ sequence, hash, keptUntil }: AuditBatch): ChainHead {
  return { sequence, hash, keptUntil };
}

/**
 * Clocks differ, and expired documents are removed some time later: shortly before and after its expiry, a document is reported neither as
 * missing nor as surplus.
 */
const EXPIRY_MARGIN_MS = 60 * 60_000;

/** Whether a document that is kept until `keptUntil` must still exist at `now`. */
export function mustExist(keptUntil: Date, now: Date): boolean {
  // A document that an attacker wrote may contain anything; it is checked, not skipped.
  if (!(keptUntil instanceof Date)) return true;
  return now.getTime() < keptUntil.getTime() - EXPIRY_MARGIN_MS;
}
