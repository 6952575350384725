import type { AccountData } from '@fairlead/service-kit/account-data';
import { eraseDocuments } from '@fairlead/service-kit/account-data';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { CatalogueChanges } from '../ports/catalogue-changes.ts';
import { accountApplicationCollection } from './account-application.collection.ts';
import { toApplication } from './account-application.repository.ts';
import { accountRevisionCollection } from './account-revision.collection.ts';

/** All data of an account that this service stores: its own applications. */
export function createAccountData(store: MongoStore, changes: CatalogueChanges): AccountData {
  const applications = store.collection(accountApplicationCollection);
  const revisions = store.collection(accountRevisionCollection);
  return {
    exports: [
      {
        collection: 'applications',
        async *read(ctx, accountId, after) {
          const filter = { accountId, ...(after === undefined ? {} : { slug: { $gt: after } }) };
          for await (const document of applications.find(filter, operationOptions(ctx)).sort({ slug: 1 })) {
            const { connector, createdAt, updatedAt } = toApplication(document);
            yield { position: document.slug, record: { ...connector, createdAt, updatedAt } };
          }
        },
      },
    ],
    async erase(ctx, accountId) {
      const isGone = await eraseDocuments(applications, ctx, { accountId });
      // Erases the applications first: a replica that reads them between the two steps then still sees a new revision.
      await revisions.deleteOne({ _id: accountId }, operationOptions(ctx));
      await changes.announce(accountId, ctx);
      return isGone;
    },
  };
}
