import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import type { AuditBatch, ChainHead } from '../domain/chain.ts';
import type { AuditEntry } from '../domain/entry.ts';

/** Which entries of a log are asked for; all conditions must hold. */
export interface AuditFilter {
  /** Inclusive. */
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly to?: Date | undefined;
  /** A user's id, `operator` or `system`. */
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
}

/** One page of a log, newest first, and how many entries match over all pages. */
export interface AuditPage {
  readonly items: readonly AuditEntry[];
  readonly totalCount: number;
}

/** The audit logs of all accounts; every method but the first two is confined to one. */
export interface AuditStore {
  /** Resolves once the entry is durable. */
  insert(entry: AuditEntry): Promise<void>;
  /** Logs with entries that are in no batch yet, at most `limit`. */
  findUnchainedLogs(limit: number): Promise<readonly string[]>;
  list(ctx: RequestContext, accountId: string, filter: AuditFilter, page: Page): Promise<AuditPage>;
  /**
   * Puts the oldest unchained entries, at most `limit`, into the batch that `seal` makes of them, and answers it:
   * all of it or nothing. Undefined: there was none. Two at once cannot make a chain fork.
   */
  chain(
    accountId: string,
    limit: number,
    seal: (head: ChainHead, entries: readonly [AuditEntry, ...AuditEntry[]]) => AuditBatch,
  ): Promise<AuditBatch | undefined>;
  /** The head of the log's chain; undefined: it has none. */
  findHead(ctx: RequestContext, accountId: string): Promise<ChainHead | undefined>;
  /** The highest batch that an entry says it is in, 0: none is in one. */
  lastClaimedBatch(ctx: RequestContext, accountId: string): Promise<number>;
  /** The batches that are there, in their order. */
  readBatches(ctx: RequestContext, accountId: string): AsyncIterable<AuditBatch>;
  /** The entries that say they are in a batch, in the order that they say. */
  entriesOf(ctx: RequestContext, accountId: string, sequence: number): Promise<readonly AuditEntry[]>;
  countUnchained(ctx: RequestContext, accountId: string): Promise<number>;
}
