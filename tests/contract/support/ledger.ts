import { storeEvent } from '@fairlead-services/delivery/testing/events';
import { loadEvents } from '@fairlead-services/delivery/testing/load-events';
import type { StoredEvent } from '@fairlead-services/delivery/testing/events';
import { MongoClient } from 'mongodb';
import { stack } from './api.ts';
import type { TestAccount } from './own-accounts.ts';

/** The ledger of the stack: events in states that take hours, or somebody else’s fault, to come about. */
export interface Ledger {
  /** Stores an event as the ledger does, of the account of this file unless named, and returns its id. */
  store(event: Omit<StoredEvent, 'accountId'>, account?: TestAccount): Promise<string>;
  /** Stores many events of an account, evenly over a period, all of which have come to the same at one destination. */
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
