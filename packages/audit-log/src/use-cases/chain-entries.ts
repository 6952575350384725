import type { Clock } from '@fairlead/service-kit/clock';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { MAX_BATCH, sealBatch } from '../domain/chain.ts';
import type { AuditStore } from '../ports/audit-store.ts';
import type { ChainKeys } from '../domain/batch.ts';
export interface ChainEntriesDeps {
  readonly store: Pick<AuditStore, 'findUnchainedLogs' | 'chain'>;
  /** Lets one replica work at a time; two would only abort each other's transactions. */
  readonly lease: { hold(): Promise<boolean> };
  readonly keys: ChainKeys;
  readonly clock: Clock;
  readonly log: Logger;
}

const MAX_LOGS = 1_000;

/**
 * Puts every unchained entry into a batch, whatever its time: a late entry is chained with the later ones. Each hash is
 * also written to the service's log, so that a chain whose end was cut off does not match the logged hashes. Does nothing while
 * another replica is chaining.
 */
export async function chainEntries(deps: ChainEntriesDeps, signal: AbortSignal): Promise<void> {
  if (!(await deps.lease.hold())) return;
  for (const accountId of await deps.store.findUnchainedLogs(MAX_LOGS)) {
    let isMore = true;
    while (isMore && !signal.aborted) {
      const batch = await deps.store.chain(accountId, MAX_BATCH, (head, entries) =>
        sealBatch(head, entries, { keys: deps.keys, now: deps.clock.now() }),
      );
      if (batch !== undefined) {
        const { sequence, count, hash, keyId } = batch;
        deps.log.info({ accountId, sequence, count, hash, keyId }, 'audit batch sealed');
      }
      isMore = batch?.count === MAX_BATCH;
      if (isMore && !(await deps.lease.hold())) return;
    }
  }
}
