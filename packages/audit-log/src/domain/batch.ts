/** The keys that seal batches. They are not stored in the database. */
export interface ChainKeys {
  /** Id of the key that seals new batches. */
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
  /** The batch is kept until this time; never earlier than the previous batch, so that the kept batches are always the end of the chain. */
  readonly keptUntil: Date;
  /** `keptUntil` of the previous batch: from that time on this batch may be the first one left. Null for the first batch. */
  readonly previousKeptUntil: Date | null;
  /** With a key, the HMAC-SHA256 over all other members, otherwise their SHA-256; in hex. */
  readonly hash: string;
}

/** An entry as its batch lists it. */
export interface SealedEntry {
  readonly id: string;
  /** HMAC-SHA256, in hex, over the canonical text of the entry, its place, and the MAC of the previous entry. */
  readonly mac: string;
}

/** A batch that was sealed with a key. */
export interface KeyedBatch extends BatchMembers {
  readonly keyId: string;
  /** The entries, in order. */
  readonly entries: readonly SealedEntry[];
}

/** A batch that was sealed by a release without keys. */
export interface KeylessBatch extends BatchMembers {
  readonly keyId?: undefined;
  /** SHA-256, in hex, over the canonical texts of the entries in order, one per line. */
  readonly entriesHash: string;
}

/** A stored batch. */
export type AuditBatch = KeyedBatch | KeylessBatch;
