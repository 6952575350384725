import { ManualClock } from '@fairlead/service-kit/clock';
import { checkConnector } from '../connectors/check-connector.ts';
import type { CheckedConnector } from '../ports/connector-reader.ts';

/**
 * The dependencies of the write use cases, with `crm` as the platform's only slug. `written` and `announced` hold the
 * arguments of every write and announcement. `isBroken`: writes fail.
 */
export function setUpWrites({ isBroken = false } = {}) {
  const clock = new ManualClock(new Date('2026-01-05T00:00:00.000Z'));
  const written: unknown[] = [];
  const announced: unknown[] = [];
  const write = (...what: readonly unknown[]): Promise<void> => {
    written.push(what);
    return isBroken ? Promise.reject(new Error('no database')) : Promise.resolve();
  };
  const deps = {
    store: {
      async put(
        _ctx: unknown,
        accountId: string,
        { head, contentHash }: CheckedConnector,
        now: Date,
        { isImport } = { isImport: false },
      ) {
        if (isImport && head.slug === 'taken') return 'taken' as const;
        if (isImport && head.slug === 'one-more') return 'full' as const;
        await write(accountId, head.slug, contentHash);
        return { createdAt: now, updatedAt: now };
      },
      remove: (_ctx: unknown, accountId: string, slug: string) => write(accountId, slug),
    },
    // Always asynchronous, like a thread.
    connectors: { read: async (_accountId: string, bytes: Uint8Array) => checkConnector(bytes) },
    changes: {
      announce(...change: readonly unknown[]) {
        announced.push(change);
        return Promise.resolve();
      },
    },
    platformSlugs: new Set(['crm']),
    clock,
  };
  return { deps, written, announced, clock };
}
