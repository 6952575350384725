import type { AccountData } from '@fairlead/service-kit/account-data';
import { eraseDocuments } from '@fairlead/service-kit/account-data';
import { rateWindowCollection, windowsOfKey } from '@fairlead/service-kit/limiter/mongo-window-store';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';

/** The counted windows of accounts. */
export function limitsData(store: MongoStore): AccountData {
  const windows = store.collection(rateWindowCollection);
  return {
    exports: [],
    erase: (ctx, accountId) => eraseDocuments(windows, ctx, windowsOfKey(accountId)),
  };
}
