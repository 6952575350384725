import type { Connector } from '@fairlead/connector-model/model';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { ClientSession, WithId } from 'mongodb';
import type { CataloguedApplication } from '../domain/application.ts';
import { MAX_IMPORTED } from '../domain/imports.ts';
import type { AccountStore, StoredApplication } from '../ports/account-store.ts';
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

    async list(ctx, accountId, known) {
      const versions = await applications
        .find({ accountId }, operationOptions(ctx))
        .project<Version>(VERSION)
        .toArray();
      const bySlug = new Map(known.map((stored) => [stored.application.connector.slug, stored]));
      const changed = versions.filter((version) => !isSame(bySlug.get(version.slug), version));
      if (changed.length > 0) {
        const slugs = changed.map(({ slug }) => slug);
        const documents = applications.find({ accountId, slug: { $in: slugs } }, operationOptions(ctx));
        for (const slug of slugs) bySlug.delete(slug);
        for await (const document of documents) bySlug.set(document.slug, toStored(document));
      }
      // Skips applications that were removed between the two reads.
      return versions.flatMap(({ slug }) => bySlug.get(slug) ?? []);
    },

    async put(
      ctx,
      accountId,
      { head: { slug }, toolCount, json, headLength, contentHash },
      now,
      { isImport } = { isImport: false },
    ) {
      return store.withTransaction(async (session) => {
        const stored = await applications.findOne<Version>(
          { accountId, slug },
          { ...operationOptions(ctx), session, projection: VERSION },
        );
        if (isImport && stored !== null) return 'taken';
        if (stored?.contentHash === contentHash) {
          const { createdAt, updatedAt } = stored;
          return { createdAt, updatedAt };
        }
        const createdAt = stored?.createdAt ?? now;
        const head = { contentHash, writtenAt: now, length: headLength, toolCount };
        const written = { connector: json, contentHash, head, updatedAt: now };
        // Writes the revision first, because this serializes the changes of an account.
        await advance(ctx, accountId, session);
        if (isImport) {
          const imported = { accountId, isImported: true as const };
          const count = await applications.countDocuments(imported, { ...operationOptions(ctx), session });
          if (count >= MAX_IMPORTED) return 'full';
        }
        await applications.updateOne(
          { accountId, slug },
          { $set: written, $setOnInsert: { createdAt, ...(isImport && { isImported: true }) } },
          { ...operationOptions(ctx), session, upsert: true },
        );
        return { createdAt, updatedAt: now };
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

/** All members of a document but its connector, which takes long to read. */
const VERSION = { slug: 1, contentHash: 1, createdAt: 1, updatedAt: 1 } as const;
/** The members that identify a version of an application. An application that is changed and changed back has a new `updatedAt`. */
type Version = Pick<AccountApplicationDocument, keyof typeof VERSION>;

function isSame(known: StoredApplication | undefined, { contentHash, updatedAt }: Version): boolean {
  if (known?.contentHash !== contentHash) return false;
  return known.application.updatedAt.getTime() === updatedAt.getTime();
}

function toStored(document: WithId<AccountApplicationDocument>): StoredApplication {
  const { contentHash, connector } = document;
  return { application: toApplication(document), contentHash, sizeBytes: Buffer.byteLength(connector) };
}

/** Decodes a document. */
export function toApplication(document: WithId<AccountApplicationDocument>): CataloguedApplication {
  const { contentHash, head, createdAt, updatedAt } = document;
  const times = { createdAt, updatedAt };
  if (head?.contentHash === contentHash && head.writtenAt.getTime() === updatedAt.getTime()) {
    const connector = connectorOf(document.connector, head.length);
    return { owner: 'account', connector, toolCount: head.toolCount, ...times };
  }
  const connector = parsed(document.connector);
  return { owner: 'account', connector, toolCount: connector.tools.length, ...times };
}

/** Parses a connector from a text whose first `headLength` characters are its head. The rest is parsed at first use. */
function connectorOf(text: string, headLength: number): Connector {
  const head = parsed(`${text.slice(0, headLength)}}`);
  let rest: string | Connector = text;
  return {
    ...head,
    // Account applications have no trigger types.
    triggerTypes: [],
    get tools() {
      if (typeof rest === 'string') rest = parsed(`{${rest.slice(headLength + 1)}`);
      return rest.tools;
    },
  };
}

function parsed(text: string): Connector {
  // Validated: ConnectorReader accepts every connector before it is written.
  return JSON.parse(text) as Connector;
}
