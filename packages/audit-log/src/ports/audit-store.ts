import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CountedPage, Page } from '@fairlead/service-kit/page';
import type { ChainHead } from '../domain/chain.ts';
import type { AuditEntry } from '../domain/entry.ts';
import type { AuditBatch, KeyedBatch } from '../domain/batch.ts';

/** The filter of a log's entries; all conditions must hold. */
export interface AuditFilter {
  /** Inclusive. */
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly to?: Date | undefined;
  /** A user's id, `operator` or `system`. */
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
}

/** An entry and the batch that it claims to be in: a number, unless an attacker wrote it. */
export interface ClaimedEntry {
  readonly batch: unknown;
  readonly entry: AuditEntry;
}

/** The audit logs of all accounts; every method except the first three is confined to one log. */
export interface AuditStore {
  /** Resolves once the entry is durable. */
  insert(entry: AuditEntry): Promise<void>;
  /** Inserts the entries whose ids do not exist yet. Resolves once all are durable. */
  insertMissing(entries: readonly AuditEntry[]): Promise<void>;
  /** Logs with unchained entries, at most `limit`. */
  findUnchainedLogs(limit: number): Promise<readonly string[]>;
  list(
    ctx: RequestContext,
    accountId: string,
    filter: AuditFilter,
    page: Page,
  ): Promise<CountedPage<AuditEntry>>;
  /**
   * Puts the oldest unchained entries, at most `limit`, into the batch that `seal` creates from them, atomically, and returns the batch.
   * Undefined: no entry was unchained. Two concurrent calls cannot fork the chain.
   */
  chain(
    accountId: string,
    limit: number,
    seal: (head: ChainHead, entries: readonly [AuditEntry, ...AuditEntry[]]) => KeyedBatch,
  ): Promise<KeyedBatch | undefined>;
  /** The head of the log's chain; undefined: it has none. */
  findHead(ctx: RequestContext, accountId: string): Promise<ChainHead | undefined>;
  /** The entry that claims to be in the highest batch; undefined: no entry is in one. */
  findLastClaim(ctx: RequestContext, accountId: string): Promise<ClaimedEntry | undefined>;
  /** The existing batches, in order. */
  readBatches(ctx: RequestContext, accountId: string): AsyncIterable<AuditBatch>;
  /** The entries that claim to be in a batch, in the order of the batches and of their claimed places. */
  readClaims(ctx: RequestContext, accountId: string): AsyncIterable<ClaimedEntry>;
  countUnchained(ctx: RequestContext, accountId: string): Promise<number>;
}
