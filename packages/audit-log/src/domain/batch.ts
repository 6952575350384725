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
