import type { Clock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { AllClientMetadata } from 'oidc-provider';
import { ACCOUNT_PROPERTY, SCOPES_PROPERTY } from '../oauth/clients/client-kinds.ts';
import type { ClientStore } from '../ports/client-store.ts';
import { oauthClientCollection } from './oauth-client.collection.ts';
import type { AccountClientDocument, OAuthClientDocument } from './oauth-client.collection.ts';
import { OPERATION_LIMIT } from './operation-limit.ts';

/** How long a self-registered client that was never granted anything is kept. */
const UNUSED_LIFETIME_MS = 24 * 60 * 60_000;

/** The repository on `store`, whose collections hold oauthClientCollection. */
export function clientRepository(o: { readonly store: MongoStore; readonly clock: Clock }): ClientStore {
  const clients = o.store.collection(oauthClientCollection);
  return {
    async findMetadata(clientId) {
      const client = await clients.findOne({ _id: clientId }, OPERATION_LIMIT);
      if (client === null || (client.kind === 'registered' && client.expiresAt <= o.clock.now()))
        return undefined;
      return metadataOf(client);
    },
    async insertRegistered(clientId, metadata) {
      const now = o.clock.now();
      await clients.insertOne({
        _id: clientId,
        kind: 'registered',
        name: metadata.client_name ?? clientId,
        redirectUris: [...(metadata.redirect_uris ?? [])],
        metadata: JSON.stringify(metadata),
        isUsed: false,
        expiresAt: new Date(now.getTime() + UNUSED_LIFETIME_MS),
        createdAt: now,
        updatedAt: now,
      });
    },
    countUnused: () => clients.countDocuments({ isUsed: false }, OPERATION_LIMIT),
    async noteGrant(clientId, until) {
      await clients.updateOne(
        { _id: clientId, kind: 'registered' },
        { $set: { isUsed: true }, $max: { expiresAt: until } },
        OPERATION_LIMIT,
      );
    },
    async removeOf(owner) {
      const filter = { kind: 'account', ...owner } as const;
      const found = await clients.find(filter, { projection: { _id: 1 }, ...OPERATION_LIMIT }).toArray();
      await clients.deleteMany(filter, OPERATION_LIMIT);
      return found.map(({ _id }) => _id);
    },

    async list(ctx, accountId, { offset, top }) {
      const options = operationOptions(ctx);
      const filter = { kind: 'account', accountId } as const;
      const [documents, totalCount] = await Promise.all([
        clients.find(filter, options).sort({ createdAt: -1, _id: -1 }).skip(offset).limit(top).toArray(),
        clients.countDocuments(filter, options),
      ]);
      return { items: documents.filter((document) => document.kind === 'account').map(toClient), totalCount };
    },
    count: (ctx, accountId) => clients.countDocuments({ kind: 'account', accountId }, operationOptions(ctx)),
    async insert(ctx, { id, ...client }, secretHash) {
      await clients.insertOne({ _id: id, kind: 'account', ...client, secretHash }, operationOptions(ctx));
    },
    async remove(ctx, accountId, clientId) {
      const { deletedCount } = await clients.deleteOne(
        { _id: clientId, kind: 'account', accountId },
        operationOptions(ctx),
      );
      return deletedCount > 0;
    },
    async findAccountClient(clientId) {
      const client = await clients.findOne({ _id: clientId, kind: 'account' }, OPERATION_LIMIT);
      return client?.kind === 'account' ? toClient(client) : undefined;
    },
  };
}

function toClient({ _id, kind: _kind, secretHash: _secret, ...client }: AccountClientDocument) {
  return { id: _id, ...client };
}

function metadataOf(client: OAuthClientDocument): AllClientMetadata {
  // What insertRegistered was given.
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
