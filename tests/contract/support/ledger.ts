import { storeEvent } from '@fairlead-services/delivery/testing/events';
import { loadEvents } from '@fairlead-services/delivery/testing/load-events';
import type { StoredEvent } from '@fairlead-services/delivery/testing/events';
import { MongoClient } from 'mongodb';
import { stack } from './api.ts';
import type { TestAccount } from './own-accounts.ts';

/** The stack's ledger, for events in states that take hours, or another's failure, to occur. */
export interface Ledger {
  /** Stores an event like the ledger, by default of this file's account; returns its id. */
  store(event: Omit<StoredEvent, 'accountId'>, account?: TestAccount): Promise<string>;
  /** Stores many events of an account, evenly spread over a period, all in the same state at one destination. */
  load(
    account: TestAccount,
    period: Parameters<typeof loadEvents>[2],
    of: Omit<ReturnType<Parameters<typeof loadEvents>[3]>, 'triggerId'>,
  ): Promise<void>;
  close(): Promise<void>;
}

/** Opens the database of the delivery service. */
export async function openLedger(): Promise<Ledger> {
  const mongo = await MongoClient.connect(stack.mongodbUri);
  const database = mongo.db('fairlead_delivery');
  return {
    store: (event, { accountId } = stack.account) =>
      storeEvent({ collection: ({ name }) => database.collection(name) }, { accountId, ...event }),
    async load({ accountId }, period, of) {
      const store = { collection: ({ name }) => database.collection(name) } satisfies Parameters<
        typeof loadEvents
      >[0];
      await loadEvents(store, accountId, period, () => ({ triggerId: 'trg_loaded', ...of }));
    },
    close: () => mongo.close(),
  };
}
