import { createHash } from 'node:crypto';
import type { Clock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { newestPage } from '@fairlead/service-kit/mongo/newest-page';
import type { Filter } from 'mongodb';
import type { AllClientMetadata } from 'oidc-provider';
import type { OAuthClient } from '../domain/oauth-client.ts';
import type { AccountClientStore, ClientStore } from '../ports/client-store.ts';
import type { RecordAuditEvent } from './audit-events.ts';
import { oauthClientCollection } from './oauth-client.collection.ts';
import type { AccountClientDocument, OAuthClientDocument } from './oauth-client.collection.ts';
import { OPERATION_LIMIT } from './operation-limit.ts';
import { changePeople } from './people-transaction.ts';
import { toUser, userCollection } from './user.collection.ts';
import { ACCOUNT_PROPERTY, SCOPES_PROPERTY } from '../domain/client-properties.ts';

/** How long a self-registered client that was never granted anything is kept. */
const UNUSED_LIFETIME_MS = 24 * 60 * 60_000;
/** Time that a person may take from the client's registration to the first consent. */
const FIRST_CONSENT_MS = 10 * 60_000;
/** Removal considers only this many of the oldest clients. */
const MAX_SOUGHT = 20_000;
/** Number of hexadecimal digits of a network's hash that are stored; the network itself is not. */
const NETWORK_HASH_DIGITS = 5;

/** Clients in the database. */
export function clientRepository(o: {
  readonly store: MongoStore;
  readonly recordEvent: RecordAuditEvent;
  readonly clock: Clock;
}): AccountClientStore & ClientStore {
  const { store } = o;
  const clients = store.collection(oauthClientCollection);
  const users = store.collection(userCollection);

  /** Removes up to this many clients, always the oldest one of the network with the most; returns how many were removed. */
  async function removeUnused(filter: Filter<OAuthClientDocument>, excess: number): Promise<number> {
    const surplus = await clients
      .aggregate<Pick<OAuthClientDocument, '_id'>>(
        [
          // Sorted by expiry, which is the order of registration.
          { $match: { isUsed: false, ...filter } },
          { $sort: { expiresAt: 1 } },
          { $limit: MAX_SOUGHT },
          { $project: { expiresAt: 1, network: 1 } },
          {
            $setWindowFields: {
              partitionBy: '$network',
              sortBy: { expiresAt: -1 },
              output: { place: { $documentNumber: {} } },
            },
          },
          { $sort: { place: -1, expiresAt: 1 } },
          { $limit: excess },
          { $project: { _id: 1 } },
        ],
        OPERATION_LIMIT,
      )
      .toArray();
    // A client that is granted something meanwhile stays.
    const { deletedCount } = await clients.deleteMany(
      { _id: { $in: surplus.map(({ _id }) => _id) }, isUsed: false },
      OPERATION_LIMIT,
    );
    return deletedCount;
  }

  return {
    async findMetadata(clientId) {
      const client = await clients.findOne({ _id: clientId }, OPERATION_LIMIT);
      if (client === null || (client.kind === 'registered' && client.expiresAt <= o.clock.now()))
        return undefined;
      return metadataOf(client);
    },
    async insertRegistered(clientId, metadata, network, event) {
      const now = o.clock.now();
      const document: OAuthClientDocument = {
        _id: clientId,
        kind: 'registered',
        name: metadata.client_name ?? clientId,
        redirectUris: [...(metadata.redirect_uris ?? [])],
        metadata: JSON.stringify(metadata),
        isUsed: false,
        network: createHash('sha256').update(network).digest('hex').slice(0, NETWORK_HASH_DIGITS),
        expiresAt: new Date(now.getTime() + UNUSED_LIFETIME_MS),
        createdAt: now,
        updatedAt: now,
      };
      await store.withTransaction(async (session) => {
        await clients.insertOne(document, { ...OPERATION_LIMIT, session });
        await o.recordEvent(session, event);
      });
    },
    async trimUnused(most, mostWithYoung) {
      const count = await clients.countDocuments({ isUsed: false }, OPERATION_LIMIT);
      if (count <= most) return;
      const registeredUntil = o.clock.now().getTime() - FIRST_CONSENT_MS;
      const aged = { expiresAt: { $lte: new Date(registeredUntil + UNUSED_LIFETIME_MS) } };
      const removed = await removeUnused(aged, count - most);
      if (count - removed > mostWithYoung) await removeUnused({}, count - removed - mostWithYoung);
    },
    async noteGrant(clientId, until) {
      await clients.updateOne(
        { _id: clientId, kind: 'registered' },
        { $set: { isUsed: true }, $max: { expiresAt: until } },
        OPERATION_LIMIT,
      );
    },
    async findAccountClient(clientId) {
      const client = await clients.findOne({ _id: clientId, kind: 'account' }, OPERATION_LIMIT);
      return client?.kind === 'account' ? toClient(client) : undefined;
    },

    async list(ctx, accountId, page) {
      const { documents, totalCount } = await newestPage(clients, ctx, { accountId }, page);
      return { items: documents.filter((document) => document.kind === 'account').map(toClient), totalCount };
    },
    insert: (ctx, { id, ...client }, secretHash, check) =>
      changePeople(store, ctx, client.accountId, async (options) => {
        const { accountId, userId } = client;
        const user = await users.findOne({ _id: userId, accountId }, options);
        const count = await clients.countDocuments({ accountId }, options);
        check(user === null ? undefined : toUser(user), count);
        await clients.insertOne({ _id: id, kind: 'account', ...client, secretHash }, options);
      }),
    remove: (ctx, accountId, clientId, check) =>
      changePeople(store, ctx, accountId, async (options) => {
        const client = await clients.findOne({ _id: clientId, kind: 'account', accountId }, options);
        if (client?.kind !== 'account') return false;
        const user = await users.findOne({ _id: client.userId, accountId }, options);
        check(user === null ? undefined : toUser(user));
        await clients.deleteOne({ _id: clientId }, options);
        return true;
      }),
  };
}

/** Decodes a client document. */
export function toClient({
  _id,
  kind: _kind,
  secretHash: _secret,
  ...client
}: AccountClientDocument): OAuthClient {
  return { id: _id, ...client };
}

function metadataOf(client: OAuthClientDocument): AllClientMetadata {
  // Validated: insertRegistered serialized it.
  if (client.kind === 'registered') return JSON.parse(client.metadata) as AllClientMetadata;
  return {
    client_id: client._id,
    client_name: client.name,
    client_secret: client.secretHash,
    token_endpoint_auth_method: 'client_secret_basic',
    application_type: 'web',
    grant_types: [...client.grantTypes],
    response_types: client.grantTypes.includes('authorization_code') ? ['code'] : [],
    redirect_uris: [...client.redirectUris],
    [SCOPES_PROPERTY]: client.scopes.join(' '),
    [ACCOUNT_PROPERTY]: client.accountId,
  };
}
