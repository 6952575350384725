import type { Document, Filter, UpdateFilter } from 'mongodb';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { CredentialSecrets, Tokens } from '../domain/credential.ts';
import { nextRenewal } from '../domain/renewal.ts';
import type {
  CredentialStore,
  LeaseKey,
  ConnectionWithCredential,
  OpeningPurpose,
} from '../ports/credential-store.ts';
import { statusChangeOf } from '../domain/connection.ts';
import type { ConnectionChanges } from './connection-changes.ts';
import { toConnection } from './connection-mapping.ts';
import { createConnectionReads } from './connection-reads.ts';
import type { ConnectionUses } from './connection-uses.ts';
import type { ConnectionDocument, SealedTokens } from './connection.collection.ts';
import { connectionCollection } from './connection.collection.ts';
import { recordOpening } from './credential-openings.ts';
import { recordOf } from './credential-vault.ts';
import type { CredentialVault } from './credential-vault.ts';
import { revocationCollection } from './revocation.collection.ts';

/**
 * Credentials in MongoDB, inside their connections' documents; `vault` seals and opens them. `uses` gets the connections whose credentials
 * are opened for a call or a test.
 */
export function createCredentialRepository(
  store: MongoStore,
  vault: CredentialVault,
  changes: ConnectionChanges,
  uses: Pick<ConnectionUses, 'note'>,
): CredentialStore {
  const connections = store.collection(connectionCollection);
  const revocations = store.collection(revocationCollection);

  async function underLease(
    ctx: RequestContext,
    key: LeaseKey,
    update: UpdateFilter<ConnectionDocument> | Document[],
  ): Promise<boolean> {
    const { matchedCount } = await connections.updateOne(leaseOf(key), update, operationOptions(ctx));
    return matchedCount > 0;
  }

  /** If the connection was deleted under this lease, its new tokens replace the former ones in the waiting revocation, due at `now`. */
  async function revokeInstead(
    ctx: RequestContext,
    { accountId, connectionId, owner }: LeaseKey,
    sealed: SealedTokens,
    now: Date,
  ): Promise<boolean> {
    const { matchedCount } = await revocations.updateOne(
      { accountId, _id: connectionId, 'connection.credential.lease.owner': owner },
      { $set: { 'connection.credential.tokens': sealed, 'due.at': now, 'due.claim': null } },
      operationOptions(ctx),
    );
    return matchedCount > 0;
  }

  const reads = createConnectionReads(connections);

  return {
    async find(ctx, accountId, reference) {
      const document = await reads.find(ctx, { ...reference, accountId });
      if (document === undefined) return undefined;
      const connection = toConnection(document);
      return {
        connection,
        async open() {
          uses.note(document);
          return { connection, credential: await openCredential(vault, ctx, document, 'call') };
        },
      };
    },

    async read(ctx, accountId, connectionId, purpose) {
      const document = await connections.findOne({ accountId, _id: connectionId }, operationOptions(ctx));
      if (document === null) return undefined;
      if (purpose === 'call' || purpose === 'test') uses.note(document);
      return await openConnection(vault, ctx, document, purpose);
    },

    async claim(ctx, { accountId, connectionId, owner }, { version, now, until }) {
      const ofVersion = {
        accountId,
        _id: connectionId,
        'credential.version': version,
        needsReauthentication: false,
      };
      const document = await connections.findOneAndUpdate(
        {
          ...ofVersion,
          $or: [{ 'credential.lease': null }, { 'credential.lease.expiresAt': { $lte: now } }],
        },
        { $set: { 'credential.lease': { owner, expiresAt: until } } },
        { ...operationOptions(ctx), returnDocument: 'after' },
      );
      if (document !== null) {
        const failingSince = document.credential.failingSince ?? null;
        return {
          kind: 'claimed',
          opened: await openConnection(vault, ctx, document, 'refresh'),
          failingSince,
        };
      }
      const options = { ...operationOptions(ctx), projection: { _id: 1 } };
      return { kind: (await connections.findOne(ofVersion, options)) === null ? 'changed' : 'held' };
    },

    async saveTokens(ctx, key, tokens, { vendor, grantedScopes, addressRevision, now }) {
      const sealed = await vault.sealTokens(recordOf('connections', key.accountId, key.connectionId), tokens);
      const isSaved = await underLease(ctx, key, [
        {
          $set: {
            // Merged, because members that a newer release stored with the same grant must stay; there may be no tokens yet.
            'credential.tokens': { $mergeObjects: ['$credential.tokens', { $literal: sealed }] },
            ...(grantedScopes === undefined ? {} : { grantedScopes: { $literal: grantedScopes } }),
            ...(addressRevision === undefined
              ? {}
              : { 'credential.addressRevision': { $literal: addressRevision } }),
            'credential.lease': null,
            'credential.failingSince': null,
            'credential.renewal': renewalAfter(key.connectionId, tokens, vendor, now),
            'credential.version': { $add: ['$credential.version', 1] },
          },
        },
      ]);
      if (!isSaved && !(await revokeInstead(ctx, key, sealed, now))) logLate(ctx, key);
    },

    async saveRefusal(ctx, key, { reason, now }) {
      await store.withTransaction(async (session) => {
        const options = { ...operationOptions(ctx), session };
        const before = await connections.findOne(leaseOf(key), options);
        if (before === null) return logLate(ctx, key);
        const former = toConnection(before);
        const refused = { needsReauthentication: true, refusalReason: reason };
        const statusChangedAt = statusChangeOf(former, { ...former, ...refused }, now);
        const present = { ...before, ...refused, statusChangedAt };
        const over = {
          'credential.lease': null,
          'credential.renewal': null,
          'credential.failingSince': null,
        };
        await connections.updateOne(
          leaseOf(key),
          { $set: { ...refused, statusChangedAt, ...over } },
          options,
        );
        await changes.record(session, { former: before, present, now, reason });
      });
    },

    async saveFailure(ctx, key, { failingSince, retryAt }) {
      const isSaved = await underLease(ctx, key, [
        {
          $set: {
            'credential.lease': null,
            'credential.failingSince': failingSince,
            'credential.renewal': {
              $cond: [
                { $eq: [{ $type: '$credential.renewal' }, 'object'] },
                { $mergeObjects: ['$credential.renewal', { at: retryAt, claim: null }] },
                null,
              ],
            },
          },
        },
      ]);
      if (!isSaved) logLate(ctx, key);
    },
  };
}

/** A stored connection with its opened credential; the opening is logged and counted. */
export async function openConnection(
  vault: CredentialVault,
  ctx: RequestContext,
  document: ConnectionDocument,
  purpose: OpeningPurpose,
): Promise<ConnectionWithCredential> {
  const credential = await openCredential(vault, ctx, document, purpose);
  return { connection: toConnection(document), credential };
}

function openCredential(
  vault: CredentialVault,
  ctx: RequestContext,
  { accountId, _id: connectionId, credential: { secrets, tokens } }: ConnectionDocument,
  purpose: OpeningPurpose,
): Promise<CredentialSecrets> {
  const record = recordOf('connections', accountId, connectionId);
  return recordOpening(ctx, { purpose, accountId, connectionId }, async () => ({
    secretFields: await vault.openFields(record, secrets),
    tokens: tokens && (await vault.openTokens(record, tokens)),
  }));
}

/** Expression for when new tokens are renewed if unused; never for client credentials, which can always get new ones. */
function renewalAfter(
  connectionId: number,
  tokens: Tokens,
  vendor: string | undefined,
  now: Date,
): Document | null {
  if (tokens.refreshToken === null) return null;
  const lane =
    vendor === undefined
      ? { $ifNull: ['$credential.renewal.lane', '$applicationSlug'] }
      : { $literal: vendor };
  const renewal = { lane, at: nextRenewal(connectionId, now), claim: null };
  return { $cond: [{ $eq: ['$grant', 'authorizationCode'] }, renewal, null] };
}

/** Matches the owner only: a change of other fields raises the version but keeps the lease. */
function leaseOf({ accountId, connectionId, owner }: LeaseKey): Filter<ConnectionDocument> {
  return { accountId, _id: connectionId, 'credential.lease.owner': owner };
}

function logLate(ctx: RequestContext, { connectionId }: LeaseKey): void {
  ctx.log.info({ connectionId }, 'dropped a late refresh: the credential was replaced or is gone');
}
