import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CountedPage, Page } from '@fairlead/service-kit/page';
import { PLATFORM_LOG } from './domain/entry.ts';
import type { AuditEntry } from './domain/entry.ts';
import type { AuditFilter, AuditStore } from './ports/audit-store.ts';
import type { FindUserNames } from './ports/user-names.ts';
import { verifyChain } from './use-cases/verify-chain.ts';
import type { ChainReport } from './use-cases/verify-chain.ts';
import type { ChainKeys } from './domain/batch.ts';

/** An entry with the name of its user; null: the actor is not a user, or the user no longer exists. */
export interface AuditEntryWithUser extends AuditEntry {
  readonly userName: string | null;
}

/** Reads the audit logs. An account of undefined means the platform's own log. */
export interface AuditTrail {
  /** One page of a log, newest first, and the number of matching entries across all pages. */
  list(
    ctx: RequestContext,
    accountId: string | undefined,
    query: { readonly filter: AuditFilter; readonly page: Page },
  ): Promise<CountedPage<AuditEntryWithUser>>;
  /** Verifies that the log is unaltered, or returns the first place at which it is not. */
  verify(ctx: RequestContext, accountId: string | undefined): Promise<ChainReport>;
}

/** The audit trail over an AuditStore. */
export function createAuditTrail(deps: {
  readonly store: AuditStore;
  readonly findUserNames: FindUserNames;
  readonly keys: ChainKeys;
  /** From this time on every batch has a key; undefined: the time is not known. */
  readonly keyedSince: Date | undefined;
  readonly clock: Clock;
}): AuditTrail {
  async function userNames(
    accountId: string,
    entries: readonly AuditEntry[],
  ): Promise<ReadonlyMap<string, string>> {
    const ids = new Set(entries.flatMap(({ actor }) => actor.userId ?? []));
    return ids.size === 0 ? new Map() : deps.findUserNames(accountId, [...ids]);
  }

  return {
    async list(ctx, accountId = PLATFORM_LOG, { filter, page }) {
      const { items, totalCount } = await deps.store.list(ctx, accountId, filter, page);
      const names = await userNames(accountId, items);
      const entries = items.map((entry) => ({
        ...entry,
        userName: (entry.actor.userId !== undefined && names.get(entry.actor.userId)) || null,
      }));
      return { items: entries, totalCount };
    },
    verify(ctx, accountId = PLATFORM_LOG) {
      const { store, keys, keyedSince, clock } = deps;
      return verifyChain({ store, rules: { keys, keyedSince, now: clock.now() } }, ctx, accountId);
    },
  };
}
