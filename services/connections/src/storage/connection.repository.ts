import type { ClientSession, UpdateFilter } from 'mongodb';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import { notFound } from '@fairlead/errors/api-error';
import { CredentialChanged, statusChangeOf } from '../domain/connection.ts';
import type { Connection } from '../domain/connection.ts';
import { OWN_CLIENT_ID } from '../domain/oauth-client.ts';
import { stateExpired } from '../domain/sign-in.ts';
import type { ConnectionReplacement, ConnectionStore, NewCredential } from '../ports/connection-store.ts';
import { authProviderCollection } from './auth-provider.collection.ts';
import type { ConnectionChanges } from './connection-changes.ts';
import type { ConnectionCounts } from './connection-counts.ts';
import { createConnectionList } from './connection-list.ts';
import { renewalOf, sealCredential, toConnection, toDocument } from './connection-mapping.ts';
import type { ConnectionDocument } from './connection.collection.ts';
import { connectionCollection } from './connection.collection.ts';
import type { CredentialVault } from './credential-vault.ts';
import { createEndUserWrites } from './end-user-writes.ts';
import { revocationCollection } from './revocation.collection.ts';
import { signInCollection } from './sign-in.collection.ts';

const SEQUENCE = 'connections';
const INT32_MAX = 2 ** 31 - 1;

/** The connections in MongoDB; `vault` seals secrets before they are stored. */
export function createConnectionRepository(
  store: MongoStore,
  vault: CredentialVault,
  counts: ConnectionCounts,
  changes: ConnectionChanges,
): ConnectionStore {
  const connections = store.collection(connectionCollection);
  const signIns = store.collection(signInCollection);
  const revocations = store.collection(revocationCollection);
  const authProviders = store.collection(authProviderCollection);
  const endUserWrites = createEndUserWrites(store);

  async function consume(
    session: ClientSession,
    accountId: string,
    state: string | null,
    now: Date,
  ): Promise<void> {
    if (state === null) return;
    const completed = { _id: state, accountId, status: 'completed', expiresAt: { $gt: now } } as const;
    const { deletedCount } = await signIns.deleteOne(completed, { session });
    if (deletedCount === 0) throw stateExpired();
    // The sign-in's grant now belongs to the connection.
    await revocations.deleteOne({ accountId, signInState: state }, { session });
  }

  /**
   * Counts a use of the auth provider, so that its concurrent deletion, or a change of its address, conflicts. NOT_FOUND if the provider is
   * gone; OAUTH_STATE_EXPIRED or CredentialChanged if the credential is for a former address.
   */
  async function holdProvider(
    session: ClientSession,
    accountId: string,
    { authProviderId, addressRevision, tokens, consumes }: NewCredential,
  ): Promise<void> {
    if (authProviderId === null || authProviderId === OWN_CLIENT_ID) return;
    const provider = await authProviders.findOneAndUpdate(
      { accountId, _id: authProviderId },
      { $inc: { useCount: 1 } },
      { session, projection: { addressRevision: 1 } },
    );
    if (provider === null) throw notFound('auth provider');
    if (tokens === 'keep' || (provider.addressRevision ?? null) === addressRevision) return;
    throw consumes === null ? new CredentialChanged() : stateExpired();
  }

  /**
   * Updates a connection and writes its change records; undefined if there is none with that id. Throws CredentialChanged, with nothing
   * written, if its credential is not `ofVersion`. A concurrent write makes the transaction retry.
   */
  async function change(
    session: ClientSession,
    ctx: RequestContext,
    o: {
      readonly accountId: string;
      readonly id: number;
      readonly update: (former: Connection) => UpdateFilter<ConnectionDocument>;
      /** Undefined: any version. */
      readonly ofVersion?: number | undefined;
      readonly now: Date;
    },
  ): Promise<Connection | undefined> {
    const key = { accountId: o.accountId, _id: o.id };
    const options = { ...operationOptions(ctx), session };
    const before = await connections.findOne(key, options);
    if (before === null) return undefined;
    if (before.credential.version !== (o.ofVersion ?? before.credential.version))
      throw new CredentialChanged();
    const returned = { ...options, returnDocument: 'after' } as const;
    const after = await connections.findOneAndUpdate(key, o.update(toConnection(before)), returned);
    if (after === null) return undefined;
    await changes.record(session, { former: before, present: after, now: o.now });
    return toConnection(after);
  }

  return {
    async nextId() {
      const id = await store.nextSequence(SEQUENCE);
      if (id > INT32_MAX) throw new Error('No connection ids are left.');
      return id;
    },

    async insert(ctx, accountId, connection, rules) {
      const document = await toDocument(vault, connection);
      const { applicationSlug, endUserId } = connection;
      // If two first connections are concurrent, one conflicts with the other in the unique index; its transaction is retried and then sees the
      // other.
      return await store.withTransaction(async (session) => {
        await consume(session, accountId, connection.credential.consumes, connection.createdAt);
        await holdProvider(session, accountId, connection.credential);
        const options = { ...operationOptions(ctx), session, projection: { _id: 1 } };
        if (endUserId !== null && rules !== undefined)
          await endUserWrites.requirePlace(session, ctx, { ...rules, accountId, endUserId });
        const other = await connections.findOne({ accountId, endUserId, applicationSlug }, options);
        const stored = { ...document, ...defaultMark(endUserId, other === null) };
        await connections.insertOne(stored, { session });
        const present = toConnection(stored);
        if (rules?.session !== undefined)
          await endUserWrites.completeSession(session, ctx, present, rules.session, connection.createdAt);
        await changes.record(session, { former: undefined, present: stored, now: connection.createdAt });
        return present;
      });
    },

    async find(ctx, accountId, id) {
      const document = await connections.findOne({ accountId, _id: id }, operationOptions(ctx));
      return document === null ? undefined : toConnection(document);
    },

    async findOfAgent(ctx, accountId, agentCreationId) {
      const document = await connections.findOne({ accountId, agentCreationId }, operationOptions(ctx));
      return document === null ? undefined : toConnection(document);
    },

    list: createConnectionList(store, counts),

    async findAll(ctx, accountId, ids, { applicationSlugs, endUserId }) {
      const filter = {
        accountId,
        _id: { $in: [...ids] },
        ...(applicationSlugs.length > 0 && { applicationSlug: { $in: [...applicationSlugs] } }),
        ...(endUserId !== undefined && { endUserId }),
      };
      // Uses the index of ids, which are few, instead of one over all connections of the application.
      const options = { ...operationOptions(ctx), hint: { _id: 1 } } as const;
      return (await connections.find(filter, options).sort({ _id: 1 }).toArray()).map(toConnection);
    },

    async findDefaults(ctx, accountId, applicationSlugs) {
      const filter = { accountId, applicationSlug: { $in: [...applicationSlugs] }, isDefault: true };
      const documents = await connections.find(filter, operationOptions(ctx)).toArray();
      return documents.map(toConnection);
    },

    async findOfEndUser(ctx, accountId, endUserId, applicationSlugs) {
      const found = await Promise.all(
        applicationSlugs.map((applicationSlug) =>
          connections.findOne(
            { accountId, endUserId, applicationSlug },
            { ...operationOptions(ctx), sort: { isEndUserDefault: -1, _id: 1 } },
          ),
        ),
      );
      return found.flatMap((document) => (document === null ? [] : [toConnection(document)]));
    },

    async countOfEndUser(ctx, accountId, endUserId, most) {
      const options = { ...operationOptions(ctx), limit: most };
      return await connections.countDocuments({ accountId, endUserId }, options);
    },

    async takenNames(ctx, accountId, applicationSlug, names) {
      const filter = { accountId, applicationSlug, connectionName: { $in: [...names] } };
      // However many connections have the same name, only one index entry per name is read.
      return new Set(await connections.distinct('connectionName', filter, operationOptions(ctx)));
    },

    async replace(ctx, accountId, id, replacement) {
      const update = await replacingUpdate(vault, accountId, id, replacement);
      return await store.withTransaction(async (session) => {
        const { credential, ofVersion, now } = replacement;
        await consume(session, accountId, credential?.consumes ?? null, now);
        if (credential !== undefined) await holdProvider(session, accountId, credential);
        const present = await change(session, ctx, { accountId, id, update, ofVersion, now });
        // Thrown, so that the transaction aborts and the sign-in is not consumed.
        if (present === undefined) throw notFound('connection');
        if (replacement.session !== undefined)
          await endUserWrites.completeSession(session, ctx, present, replacement.session, now);
        return present;
      });
    },

    async setDefault(ctx, accountId, id, now) {
      return await store.withTransaction(async (session) => {
        const options = { ...operationOptions(ctx), session };
        const target = await connections.findOne({ accountId, _id: id }, options);
        if (target === null) return undefined;
        if (toConnection(target).isDefault) return toConnection(target);
        const { applicationSlug } = target;
        const endUserId = target.endUserId ?? null;
        await connections.updateOne(
          { accountId, endUserId, applicationSlug, ...defaultMark(endUserId, true) },
          { $set: { ...defaultMark(endUserId, false), updatedAt: now } },
          options,
        );
        const changed = await connections.findOneAndUpdate(
          { accountId, _id: id },
          { $set: { ...defaultMark(endUserId, true), updatedAt: now } },
          { ...options, returnDocument: 'after' },
        );
        return changed === null ? undefined : toConnection(changed);
      });
    },

    async setLicence(ctx, accountId, id, licence, now) {
      const update = (former: Connection): UpdateFilter<ConnectionDocument> => ({
        $set: {
          'licence.status': licence.status,
          'licence.expiresAt': licence.expiresAt,
          statusChangedAt: statusChangeOf(former, { ...former, licence }, now),
          updatedAt: now,
        },
      });
      return await store.withTransaction((session) => change(session, ctx, { accountId, id, update, now }));
    },

    async addNeededScopes(ctx, accountId, id, { scopes, most }) {
      const former = { $ifNull: ['$neededScopes', []] };
      const added = { $setDifference: [{ $literal: scopes }, former] };
      await connections.updateOne(
        { accountId, _id: id },
        [{ $set: { neededScopes: { $slice: [{ $concatArrays: [former, added] }, most] } } }],
        operationOptions(ctx),
      );
    },

    async claimToolsReading(ctx, accountId, id, { before, now }) {
      const { modifiedCount } = await connections.updateOne(
        { accountId, _id: id, kind: 'MCPClient', 'mcpTools.readAt': { $not: { $gte: before } } },
        { $set: { 'mcpTools.readAt': now } },
        operationOptions(ctx),
      );
      return modifiedCount > 0;
    },

    async saveToolsRead(ctx, accountId, id, { readAt, hash, version, applicationName }) {
      const { matchedCount } = await connections.updateOne(
        { accountId, _id: id },
        {
          $set: {
            applicationName,
            'mcpTools.readAt': readAt,
            'mcpTools.hash': hash,
            'mcpTools.version': version,
          },
        },
        operationOptions(ctx),
      );
      return matchedCount > 0;
    },

    async delete(ctx, accountId, id, now) {
      return await store.withTransaction(async (session) => {
        const options = { ...operationOptions(ctx), session };
        const deleted = await connections.findOneAndDelete({ accountId, _id: id }, options);
        if (deleted === null) return false;
        await changes.record(session, { former: deleted, present: undefined, now });
        return true;
      });
    },

    async forgetEndUser(ctx, accountId, endUserId) {
      return await store.withTransaction((session) =>
        endUserWrites.forget(session, ctx, { accountId, endUserId }),
      );
    },
  };
}

/** The member that marks a default; different for end users' and the account's own, so that neither is taken for the other. */
function defaultMark(
  endUserId: string | null,
  isDefault: boolean,
): Pick<ConnectionDocument, 'isDefault'> | Pick<ConnectionDocument, 'isEndUserDefault'> {
  return endUserId === null ? { isDefault } : { isEndUserDefault: isDefault };
}

async function replacingUpdate(
  vault: CredentialVault,
  accountId: string,
  id: number,
  { details, credential, applicationName, now }: ConnectionReplacement,
): Promise<(former: Connection) => UpdateFilter<ConnectionDocument>> {
  const set = {
    ...details,
    metadata: details.metadata.text,
    ...(applicationName === undefined ? {} : { applicationName }),
    updatedAt: now,
  };
  if (credential === undefined) return () => ({ $set: set });
  const { shown, secrets, tokens } = await sealCredential(vault, accountId, id, credential);
  const $inc = { 'credential.version': 1, 'credential.revision': 1 };
  // If tokens stay, their lease stays: its holder may be about to save new tokens.
  if (tokens === undefined) return () => ({ $set: { ...set, ...shown }, $inc });
  const fields = { ...set, ...shown, 'credential.secrets': secrets ?? null };
  const usable = { needsReauthentication: false, refusalReason: null };
  const renewed = {
    ...fields,
    ...usable,
    'credential.tokens': tokens,
    'credential.lease': null,
    'credential.addressRevision': credential.addressRevision,
  };
  return (former) => ({
    $set: {
      ...renewed,
      'credential.renewal': renewalOf(former, credential, now),
      'credential.failingSince': null,
      statusChangedAt: statusChangeOf(former, { ...former, ...usable }, now),
    },
    $inc,
  });
}
