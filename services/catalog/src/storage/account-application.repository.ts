import type { Connector } from '@fairlead/connector-model/model';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { ClientSession, WithId } from 'mongodb';
import type { CataloguedApplication } from '../domain/application.ts';
import type { AccountStore, StoredShelf } from '../ports/account-store.ts';
import { accountApplicationCollection } from './account-application.collection.ts';
import type { AccountApplicationDocument } from './account-application.collection.ts';
import { accountRevisionCollection } from './account-revision.collection.ts';

/** Accounts' own applications in Mongo. */
export function createAccountApplicationRepository(store: MongoStore): AccountStore {
  const applications = store.collection(accountApplicationCollection);
  const revisions = store.collection(accountRevisionCollection);

  async function advance(ctx: RequestContext, accountId: string, session: ClientSession): Promise<void> {
    const options = { ...operationOptions(ctx), session, upsert: true };
    await revisions.updateOne({ _id: accountId }, { $inc: { revision: 1 } }, options);
  }

  return {
    async revision(ctx, accountId) {
      return (await revisions.findOne({ _id: accountId }, operationOptions(ctx)))?.revision ?? 0;
    },

    async list(ctx, accountId): Promise<StoredShelf> {
      const documents = await applications.find({ accountId }, operationOptions(ctx)).toArray();
      return {
        applications: documents.map(toApplication),
        sizeBytes: documents.reduce((bytes, { connector }) => bytes + Buffer.byteLength(connector), 0),
      };
    },

    async put(ctx, accountId, connector, contentHash, now) {
      const { slug } = connector;
      return store.withTransaction(async (session) => {
        const stored = await applications.findOne({ accountId, slug }, { ...operationOptions(ctx), session });
        if (stored?.contentHash === contentHash) return toApplication(stored);
        const createdAt = stored?.createdAt ?? now;
        const written = { connector: JSON.stringify(connector), contentHash, updatedAt: now };
        // The revision comes first: it serializes the changes of one account.
        await advance(ctx, accountId, session);
        await applications.updateOne(
          { accountId, slug },
          { $set: written, $setOnInsert: { createdAt } },
          { ...operationOptions(ctx), session, upsert: true },
        );
        return { owner: 'account', connector, createdAt, updatedAt: now };
      });
    },

    async remove(ctx, accountId, slug) {
      await store.withTransaction(async (session) => {
        const options = { ...operationOptions(ctx), session };
        const { deletedCount } = await applications.deleteOne({ accountId, slug }, options);
        if (deletedCount > 0) await advance(ctx, accountId, session);
      });
    },
  };
}

/** The application that a document holds. */
export function toApplication(document: WithId<AccountApplicationDocument>): CataloguedApplication {
  // Only connectors that parseConnector accepted are written.
  const connector = JSON.parse(document.connector) as Connector;
  return { owner: 'account', connector, createdAt: document.createdAt, updatedAt: document.updatedAt };
}
