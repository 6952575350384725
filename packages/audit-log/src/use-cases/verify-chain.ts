import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { EMPTY_CHAIN, findFault, headOf, mustExist } from '../domain/chain.ts';
import type { AuditBatch, ChainFault, ChainHead } from '../domain/chain.ts';
import type { AuditStore } from '../ports/audit-store.ts';

/** The dependencies of verifyChain. */
export interface VerifyChainDeps {
  readonly store: Pick<
    AuditStore,
    'findHead' | 'lastClaimedBatch' | 'readBatches' | 'entriesOf' | 'countUnchained'
  >;
  readonly clock: Clock;
}

/** The result of a verification. */
export interface ChainReport {
  /** The first batch that differs from what was sealed; undefined: the chain is intact. */
  readonly fault: ChainFault | undefined;
  /** Number of batches that were checked and found intact. */
  readonly batchCount: number;
  /** Number of entries in those batches. */
  readonly entryCount: number;
  /** Number of unchained entries. */
  readonly unchainedCount: number;
}

/** Compares a log with its chain, in one pass and with one batch in memory at a time. Entries may be recorded meanwhile. */
export async function verifyChain(
  deps: VerifyChainDeps,
  ctx: RequestContext,
  accountId: string,
): Promise<ChainReport> {
  const { store } = deps;
  const now = deps.clock.now();
  // In this order: a batch that is sealed in between is after the head, and is not checked.
  const claimed = await store.lastClaimedBatch(ctx, accountId);
  const head = (await store.findHead(ctx, accountId)) ?? EMPTY_CHAIN;
  const totals = { batchCount: 0, entryCount: 0 };
  let last: ChainHead | undefined;
  let fault: ChainFault | undefined;
  for await (const batch of store.readBatches(ctx, accountId)) {
    if (batch.sequence > head.sequence || !mustExist(batch.keptUntil, now)) continue;
    fault = findFault(last, batch, await store.entriesOf(ctx, accountId, batch.sequence), now);
    if (fault !== undefined) break;
    last = headOf(batch);
    totals.batchCount += 1;
    totals.entryCount += batch.count;
  }
  fault ??= findFaultAtEnd(last, head, claimed, now);
  return { fault, ...totals, unchainedCount: await store.countUnchained(ctx, accountId) };
}

/** The fault after the last checked batch: it is not the chain's end, or entries claim a batch that never existed. */
function findFaultAtEnd(
  last: ChainHead | undefined,
  head: ChainHead,
  claimed: AuditBatch['sequence'],
  now: Date,
): ChainFault | undefined {
  const isEndMissing =
    last === undefined
      ? head.keptUntil !== null && mustExist(head.keptUntil, now)
      : last.sequence !== head.sequence;
  if (isEndMissing) {
    return {
      sequence: last === undefined ? head.sequence : last.sequence + 1,
      problem: 'The batch is missing.',
    };
  }
  if (last !== undefined && last.hash !== head.hash) {
    return { sequence: head.sequence, problem: 'The batch is not the one that ended the chain.' };
  }
  if (claimed > head.sequence) {
    return { sequence: claimed, problem: 'Entries say that they are in this batch, which was never sealed.' };
  }
  return undefined;
}
