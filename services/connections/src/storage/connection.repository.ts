import type { ClientSession, Filter, UpdateFilter } from 'mongodb';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import { notFound } from '@fairlead/errors/api-error';
import { stateExpired } from '../domain/sign-in.ts';
import type { ConnectionChange, ConnectionStore } from '../ports/connection-store.ts';
import { sealCredential, toConnection, toDocument } from './connection-mapping.ts';
import type { ConnectionDocument } from './connection.collection.ts';
import { connectionCollection } from './connection.collection.ts';
import type { CredentialVault } from './credential-vault.ts';
import { signInCollection } from './sign-in.collection.ts';

const SEQUENCE = 'connections';
const INT32_MAX = 2 ** 31 - 1;

/** The connections in MongoDB; secrets are sealed by `vault` before they get there. */
export function createConnectionRepository(store: MongoStore, vault: CredentialVault): ConnectionStore {
  const connections = store.collection(connectionCollection);
  const signIns = store.collection(signInCollection);

  async function useUp(
    session: ClientSession,
    accountId: string,
    state: string | null,
    now: Date,
  ): Promise<void> {
    if (state === null) return;
    const completed = { _id: state, accountId, status: 'completed', expiresAt: { $gt: now } } as const;
    const { deletedCount } = await signIns.deleteOne(completed, { session });
    if (deletedCount === 0) throw stateExpired();
  }

  return {
    async nextId() {
      const id = await store.nextSequence(SEQUENCE);
      if (id > INT32_MAX) throw new Error('The connection ids are used up.');
      return id;
    },

    async insert(ctx, accountId, connection) {
      const document = await toDocument(vault, connection);
      const { applicationSlug } = connection;
      // Of two firsts at once, one meets the other's key in the unique index: a write conflict, after which the transaction
      // runs anew and sees it.
      return await store.withTransaction(async (session) => {
        await useUp(session, accountId, connection.credential.consumes, connection.createdAt);
        const options = { ...operationOptions(ctx), session, projection: { _id: 1 } };
        const other = await connections.findOne({ accountId, applicationSlug }, options);
        const stored = { ...document, isDefault: other === null };
        await connections.insertOne(stored, { session });
        return toConnection(stored);
      });
    },

    async find(ctx, accountId, id) {
      const document = await connections.findOne({ accountId, _id: id }, operationOptions(ctx));
      return document === null ? undefined : toConnection(document);
    },

    async list(ctx, accountId, { kinds, offset, top }) {
      const filter: Filter<ConnectionDocument> =
        kinds.length === 0 ? { accountId } : { accountId, kind: { $in: [...kinds] } };
      const options = operationOptions(ctx);
      const [documents, totalCount] = await Promise.all([
        connections.find(filter, options).sort({ createdAt: -1, _id: -1 }).skip(offset).limit(top).toArray(),
        connections.countDocuments(filter, options),
      ]);
      return { items: documents.map(toConnection), totalCount };
    },

    async findDefaults(ctx, accountId, applicationSlugs) {
      const filter = { accountId, applicationSlug: { $in: [...applicationSlugs] }, isDefault: true };
      const documents = await connections.find(filter, operationOptions(ctx)).toArray();
      return documents.map(toConnection);
    },

    async namesOf(ctx, accountId, applicationSlug) {
      const options = { ...operationOptions(ctx), projection: { _id: 0, connectionName: 1 } };
      const documents = await connections.find({ accountId, applicationSlug }, options).toArray();
      return documents.map(({ connectionName }) => connectionName);
    },

    async replace(ctx, accountId, id, change) {
      const update = await changeUpdate(vault, accountId, id, change);
      const document = await store.withTransaction(async (session) => {
        await useUp(session, accountId, change.credential?.consumes ?? null, change.now);
        const changed = await connections.findOneAndUpdate({ accountId, _id: id }, update, {
          ...operationOptions(ctx),
          session,
          returnDocument: 'after',
        });
        // Thrown, so that the transaction ends without the sign-in used up.
        if (changed === null) throw notFound('connection');
        return changed;
      });
      return toConnection(document);
    },

    async setDefault(ctx, accountId, id, now) {
      return await store.withTransaction(async (session) => {
        const options = { ...operationOptions(ctx), session };
        const target = await connections.findOne({ accountId, _id: id }, options);
        if (target === null) return undefined;
        if (target.isDefault) return toConnection(target);
        const { applicationSlug } = target;
        await connections.updateOne(
          { accountId, applicationSlug, isDefault: true },
          { $set: { isDefault: false, updatedAt: now } },
          options,
        );
        const changed = await connections.findOneAndUpdate(
          { accountId, _id: id },
          { $set: { isDefault: true, updatedAt: now } },
          { ...options, returnDocument: 'after' },
        );
        return changed === null ? undefined : toConnection(changed);
      });
    },

    async setLicence(ctx, accountId, id, licence, now) {
      const document = await connections.findOneAndUpdate(
        { accountId, _id: id },
        {
          $set: {
            'licence.status': licence.status,
            'licence.expiresAt': licence.expiresAt,
            updatedAt: now,
          },
        },
        { ...operationOptions(ctx), returnDocument: 'after' },
      );
      return document === null ? undefined : toConnection(document);
    },

    async delete(ctx, accountId, id) {
      const { deletedCount } = await connections.deleteOne({ accountId, _id: id }, operationOptions(ctx));
      return deletedCount === 1;
    },
  };
}

async function changeUpdate(
  vault: CredentialVault,
  accountId: string,
  id: number,
  { details, credential, applicationName, now }: ConnectionChange,
): Promise<UpdateFilter<ConnectionDocument>> {
  const set = {
    ...details,
    metadata: JSON.stringify(details.metadata),
    ...(applicationName === undefined ? {} : { applicationName }),
    updatedAt: now,
  };
  if (credential === undefined) return { $set: set };
  const { shown, secrets, tokens } = await sealCredential(vault, accountId, id, credential);
  const fields = { ...set, ...shown, 'credential.secrets': secrets };
  const $inc = { 'credential.version': 1 };
  // Tokens that stay keep their lease: the new ones that its holder brings must not be lost.
  if (tokens === undefined) return { $set: fields, $inc };
  return {
    $set: { ...fields, 'credential.tokens': tokens, 'credential.lease': null, needsReauthentication: false },
    $inc,
  };
}
