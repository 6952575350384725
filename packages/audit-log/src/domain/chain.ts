import { macOfBatch, macOfEntry } from './batch-hashes.ts';
import type { AuditEntry } from './entry.ts';

/** Most entries of one batch. */
export const MAX_BATCH = 500;

/** The keys under which batches are sealed. They are not in the database. */
export interface ChainKeys {
  /** Id of the key that seals. */
  readonly current: string;
  /** HMAC-SHA256 of a text, in hex; undefined: the key is not configured. */
  mac(keyId: string, text: string): string | undefined;
}

/** The members of every batch: entries of one log that were chained together, without the entries. */
interface BatchMembers {
  readonly accountId: string;
  /** 1, 2, 3 … in one log. */
  readonly sequence: number;
  /** `hash` of the previous batch; empty for the first. */
  readonly previousHash: string;
  readonly count: number;
  readonly firstEntryId: string;
  readonly lastEntryId: string;
  readonly sealedAt: Date;
  /** No entry of the batch is removed before this time. */
  readonly entriesKeptUntil: Date;
  /** The batch is kept until this time; never earlier than the previous batch's, so that the kept batches are the end of the chain. */
  readonly keptUntil: Date;
  /** `keptUntil` of the previous batch: from then on this one may be the first that remains. Null for the first. */
  readonly previousKeptUntil: Date | null;
  /** With a key, the HMAC-SHA256 over all of the other members, otherwise their SHA-256; in hex. */
  readonly hash: string;
}

/** An entry as its batch names it. */
export interface SealedEntry {
  readonly id: string;
  /** HMAC-SHA256, in hex, over the canonical text of the entry, its place, and the MAC of the entry before it. */
  readonly mac: string;
}

/** A batch that was sealed with a key. */
export interface KeyedBatch extends BatchMembers {
  readonly keyId: string;
  /** The entries, in order. */
  readonly entries: readonly SealedEntry[];
}

/** A batch that a release without keys sealed. */
export interface KeylessBatch extends BatchMembers {
  readonly keyId?: undefined;
  /** SHA-256, in hex, over the canonical texts of the entries in order, one per line. */
  readonly entriesHash: string;
}

/** A stored batch. */
export type AuditBatch = KeyedBatch | KeylessBatch;

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

/** Clocks differ, and expired documents are removed some time later: near its expiry nothing is reported as missing or surplus. */
const EXPIRY_MARGIN_MS = 60 * 60_000;

/** Whether a document that is kept until `keptUntil` must still exist at `now`. */
export function mustExist(keptUntil: Date, now: Date): boolean {
  // A document that somebody else wrote may hold anything; it is checked, not passed over.
  if (!(keptUntil instanceof Date)) return true;
  return now.getTime() < keptUntil.getTime() - EXPIRY_MARGIN_MS;
}
