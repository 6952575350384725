import { eraseDocuments } from '@fairlead/service-kit/account-data';
import type { AccountData } from '@fairlead/service-kit/account-data';
import { rateWindowCollection, windowsOfKey } from '@fairlead/limiter/mongo-window-store';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { ModuleResources } from '@fairlead/service-kit/lifecycle/module-resources';
import { createRateLimits } from './limits.ts';
import type { Limits } from './limits.ts';

/** Opens the limits module: the rate budgets of accounts, counted together with the other replicas. */
export function openLimits({ store, nats, clock, log, closers }: ModuleResources): {
  readonly limits: Limits;
  readonly accountData: AccountData;
} {
  const limits = closers.add('limits', createRateLimits({ store, nats, clock, log }));
  return { limits, accountData: limitsData(store) };
}

/** The stored windows of accounts: call counts, which are erased but not exported. */
export function limitsData(store: MongoStore): AccountData {
  const windows = store.collection(rateWindowCollection);
  return {
    exports: [],
    erase: (ctx, accountId) => eraseDocuments(windows, ctx, windowsOfKey(accountId)),
  };
}
