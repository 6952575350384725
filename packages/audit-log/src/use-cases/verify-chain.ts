import type { RequestContext } from '@fairlead/service-kit/context/context';
import { EMPTY_CHAIN, MAX_BATCH, mustExist } from '../domain/chain.ts';
import type { ChainHead } from '../domain/chain.ts';
import { findFault, isKeyed } from '../domain/chain-fault.ts';
import type { ChainFault, MissingKey, Verification } from '../domain/chain-fault.ts';
import type { AuditEntry } from '../domain/entry.ts';
import type { AuditStore, ClaimedEntry } from '../ports/audit-store.ts';
import type { AuditBatch } from '../domain/batch.ts';
export interface VerifyChainDeps {
  readonly store: Pick<
    AuditStore,
    'findHead' | 'findLastClaim' | 'readBatches' | 'readClaims' | 'countUnchained'
  >;
  readonly rules: Verification;
}

/** The result of a verification. */
export interface ChainReport {
  /** The first difference from what was sealed; undefined: there is none, as far as the log was verified. */
  readonly fault: ChainFault | undefined;
  /** The id of the key that is not configured, at whose first batch the verification ended. */
  readonly missingKeyId: string | undefined;
  /** Number of batches that were checked and found intact. */
  readonly batchCount: number;
  /** Number of entries in those batches. */
  readonly entryCount: number;
  /** Number of those entries that are in batches without a key. */
  readonly keylessEntryCount: number;
  /** Number of unchained entries. */
  readonly unchainedCount: number;
}

/**
 * Compares a log with its chain, in one pass over batches and entries and with one batch in memory at a time. Entries may
 * be recorded meanwhile.
 */
export async function verifyChain(
  { store, rules }: VerifyChainDeps,
  ctx: RequestContext,
  accountId: string,
): Promise<ChainReport> {
  // In this order: a batch that is sealed in between comes after the head, and is not checked.
  const lastClaim = await store.findLastClaim(ctx, accountId);
  const head = (await store.findHead(ctx, accountId)) ?? EMPTY_CHAIN;
  const claims = new Claims(store.readClaims(ctx, accountId), rules);
  const totals = { batchCount: 0, entryCount: 0, keylessEntryCount: 0 };
  let last: AuditBatch | undefined;
  let end: ChainFault | MissingKey | undefined;
  try {
    for await (const batch of store.readBatches(ctx, accountId)) {
      if (batch.sequence > head.sequence || !mustExist(batch.keptUntil, rules.now)) continue;
      const { entries, stray } = await claims.of(batch.sequence);
      end =
        stray === undefined
          ? findFault(last, batch, entries, rules)
          : strayFault(stray, batch.sequence, last);
      if (end !== undefined) break;
      last = batch;
      totals.batchCount += 1;
      totals.entryCount += batch.count;
      if (!isKeyed(batch)) totals.keylessEntryCount += batch.count;
    }
    end ??= findFaultAtEnd({ last, head, lastClaim, now: rules.now });
    if (end === undefined) {
      const stray = await claims.strayAfter(head.sequence);
      end = stray && strayFault(stray, head.sequence, last);
    }
  } finally {
    await claims.close();
  }
  const outcome =
    end !== undefined && 'missingKeyId' in end
      ? { fault: undefined, missingKeyId: end.missingKeyId }
      : { fault: end && presentable(end), missingKeyId: undefined };
  return { ...outcome, ...totals, unchainedCount: await store.countUnchained(ctx, accountId) };
}

/** The fault with the declared types, whatever an attacker has written into the documents; a batch that is not a whole number becomes 0. */
function presentable({ sequence, problem, from }: ChainFault): ChainFault {
  const { position, entryId, afterEntryId } = from;
  return {
    sequence: Number.isSafeInteger(sequence) ? sequence : 0,
    problem,
    from: { position, entryId: textOf(entryId), afterEntryId: textOf(afterEntryId) },
  };
}

function textOf(id: unknown): string | null {
  if (id === null || typeof id === 'string') return id;
  return JSON.stringify(id) ?? '';
}

/** The entries of a log, read once, in the order of the batches that they claim to be in. */
class Claims {
  readonly #iterator: AsyncIterator<ClaimedEntry, unknown>;
  readonly #now: Date;
  /** An entry that was read ahead: it claims a later batch than requested. */
  #next: ClaimedEntry | undefined;

  constructor(claims: AsyncIterable<ClaimedEntry>, { now }: Verification) {
    this.#iterator = claims[Symbol.asyncIterator]();
    this.#now = now;
  }

  /**
   * The entries that claim this batch (only some if there are too many), or one entry that claims an earlier batch of which nothing is
   * left.
   */
  async of(
    sequence: number,
  ): Promise<{ readonly entries: readonly AuditEntry[]; readonly stray: ClaimedEntry | undefined }> {
    const entries: AuditEntry[] = [];
    for (;;) {
      const claim = await this.#read();
      if (claim === undefined || isNumberAbove(claim.batch, sequence)) {
        this.#next = claim;
        return { entries, stray: undefined };
      }
      if (claim.batch !== sequence && this.#isStray(claim)) return { entries, stray: claim };
      // One more than a batch can contain shows that there are too many.
      if (claim.batch === sequence && entries.length <= MAX_BATCH) entries.push(claim.entry);
    }
  }

  /** Skips unchained entries after the head, where batches are sealed meanwhile. */
  async strayAfter(head: number): Promise<ClaimedEntry | undefined> {
    for (;;) {
      const claim = await this.#read();
      if (claim === undefined) return undefined;
      const isSealedMeanwhile = isNumberAbove(claim.batch, head) && Number.isInteger(claim.batch);
      if (!isSealedMeanwhile && this.#isStray(claim)) return claim;
    }
  }

  async close(): Promise<void> {
    await this.#iterator.return?.();
  }

  async #read(): Promise<ClaimedEntry | undefined> {
    const next = this.#next;
    this.#next = undefined;
    if (next !== undefined) return next;
    const result = await this.#iterator.next();
    return result.done === true ? undefined : result.value;
  }

  #isStray({ entry }: ClaimedEntry): boolean {
    return mustExist(entry.expiresAt, this.#now);
  }
}

function isNumberAbove(value: unknown, bound: number): boolean {
  return typeof value === 'number' && value > bound;
}

/** The fault of an entry that claims a batch that is gone or never existed; found before batch `before`. */
function strayFault(
  { batch, entry }: ClaimedEntry,
  before: number,
  last: AuditBatch | undefined,
): ChainFault {
  const isOfChain = typeof batch === 'number' && Number.isInteger(batch) && batch >= 1 && batch < before;
  return {
    sequence: isOfChain ? batch : before,
    problem: isOfChain
      ? 'The batch is missing.'
      : 'An entry says that it is in a batch that was never sealed.',
    from: { position: 0, entryId: entry.id, afterEntryId: last?.lastEntryId ?? null },
  };
}

/** The fault after the last checked batch: it is not the end of the chain, or entries claim a batch that never existed. */
function findFaultAtEnd({
  last,
  head,
  lastClaim,
  now,
}: {
  readonly last: AuditBatch | undefined;
  readonly head: ChainHead;
  readonly lastClaim: ClaimedEntry | undefined;
  readonly now: Date;
}): ChainFault | undefined {
  const fault = (sequence: number, problem: string, entryId: string | null): ChainFault => ({
    sequence,
    problem,
    from: { position: 0, entryId, afterEntryId: last?.lastEntryId ?? null },
  });
  const isEndMissing =
    last === undefined
      ? head.keptUntil !== null && mustExist(head.keptUntil, now)
      : last.sequence !== head.sequence;
  if (isEndMissing)
    return fault(last === undefined ? head.sequence : last.sequence + 1, 'The batch is missing.', null);
  if (last !== undefined && last.hash !== head.hash)
    return fault(head.sequence, 'The batch is not the one that ended the chain.', null);
  const claimed = lastClaim?.batch;
  if (typeof claimed === 'number' && claimed > head.sequence) {
    const problem = 'Entries say that they are in this batch, which was never sealed.';
    return fault(Math.ceil(claimed), problem, lastClaim?.entry.id ?? null);
  }
  return undefined;
}
