import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { guid } from '@fairlead/service-kit/ids';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import { SealingError } from '@fairlead/sealing/sealed-value';
import type { ClientSession } from 'mongodb';
import { erasedAlias } from '../domain/revocation.ts';
import type { CredentialSecrets } from '../domain/credential.ts';
import { authProviderCollection, retiredAuthProviderCollection } from './auth-provider.collection.ts';
import { AUTH_PROVIDER_SEQUENCE, retiredProvider } from './auth-provider.repository.ts';
import { connectionCollection } from './connection.collection.ts';
import { openConnection } from './credential.repository.ts';
import { recordOf } from './credential-vault.ts';
import type { CredentialVault } from './credential-vault.ts';
import { revocationCollection, revocationOf } from './revocation.collection.ts';
import type { RevocationDocument } from './revocation.collection.ts';

/** Keeps the grants of an erased account until they are revoked. */
export interface ErasedGrants {
  /**
   * Removes the account's connections. The data for revoking their grants, and earlier waiting revocations, move to aliases that do not
   * identify the account. Takes about three seconds per call; true: no data of the account is left. A credential that cannot be opened is
   * removed without revocation.
   */
  detach(ctx: RequestContext, accountId: string): Promise<boolean>;
}

/** Few enough that one transaction takes far less than a second. */
const BATCH = 100;
const LIMIT_MS = 3_000;

/**
 * Moves grants to `revocations`, re-sealed with the data key of their alias, so that the account's key can be removed without waiting for a
 * vendor. All of an alias is stored in one transaction.
 */
export function createErasedGrants(store: MongoStore, vault: CredentialVault, clock: Clock): ErasedGrants {
  const connections = store.collection(connectionCollection);
  const revocations = store.collection(revocationCollection);
  const providers = store.collection(authProviderCollection);
  const retired = store.collection(retiredAuthProviderCollection);

  async function open(
    ctx: RequestContext,
    { connection }: RevocationDocument,
  ): Promise<CredentialSecrets | undefined> {
    try {
      return (await openConnection(vault, ctx, connection, 'revocation')).credential;
    } catch (error) {
      // Already logged. The key may be gone if an earlier release began the erasure.
      if (error instanceof SealingError) return undefined;
      throw error;
    }
  }

  /** Copies a provider to `alias`; returns the id of the copy, null if there is no such provider. */
  async function copyProvider(
    session: ClientSession,
    accountId: string,
    id: number,
    alias: string,
  ): Promise<number | null> {
    const current = await providers.findOne({ accountId, _id: id }, { session });
    const document = current ?? (await retired.findOne({ accountId, _id: id }, { session }));
    if (document === null) return null;
    const copyId = await store.nextSequence(AUTH_PROVIDER_SEQUENCE);
    const place = current === null ? 'retired_auth_providers' : 'auth_providers';
    const key = { accountId: alias, _id: copyId };
    await retired.insertOne(await retiredProvider(vault, document, place, clock.now(), key), { session });
    return copyId;
  }

  async function insert(
    session: ClientSession,
    ctx: RequestContext,
    alias: string,
    documents: readonly RevocationDocument[],
  ): Promise<void> {
    const copies = new Map<number, Promise<number | null>>();
    const moved: RevocationDocument[] = [];
    for (const document of documents) {
      const { signInState: _over, ...same } = document;
      const credential = await open(ctx, document);
      if (credential === undefined || credential.tokens === null) continue;
      const { _id, accountId, authProviderId } = document.connection;
      let provider = authProviderId;
      if (authProviderId !== null && authProviderId > 0) {
        const copy = copies.get(authProviderId) ?? copyProvider(session, accountId, authProviderId, alias);
        copies.set(authProviderId, copy);
        provider = await copy;
      }
      const record = recordOf('connections', alias, _id);
      const sealed = {
        secrets: await vault.sealFields(record, credential.secretFields.reveal()),
        tokens: await vault.sealTokens(record, credential.tokens),
        lease: null,
      };
      moved.push({
        ...same,
        accountId: alias,
        connection: {
          ...document.connection,
          accountId: alias,
          endUserId: null,
          authProviderId: provider,
          credential: { ...document.connection.credential, ...sealed },
        },
        due: document.due && { ...document.due, claim: null },
      });
    }
    if (moved.length > 0) await revocations.insertMany(moved, { session });
  }

  /** This function and the next one return the number of removed documents, at most `BATCH`. */
  async function detachConnections(ctx: RequestContext, accountId: string): Promise<number> {
    const alias = erasedAlias(guid());
    return await store.withTransaction(async (session) => {
      const options = { ...operationOptions(ctx), session };
      const found = await connections.find({ accountId }, options).limit(BATCH).toArray();
      const grants = found.flatMap((document) => revocationOf(document, clock.now()) ?? []);
      await connections.deleteMany({ accountId, _id: { $in: found.map(({ _id }) => _id) } }, options);
      await insert(session, ctx, alias, grants);
      return found.length;
    });
  }

  async function detachRevocations(ctx: RequestContext, accountId: string): Promise<number> {
    const alias = erasedAlias(guid());
    return await store.withTransaction(async (session) => {
      const options = { ...operationOptions(ctx), session };
      const found = await revocations.find({ accountId }, options).limit(BATCH).toArray();
      await revocations.deleteMany({ accountId, _id: { $in: found.map(({ _id }) => _id) } }, options);
      await insert(session, ctx, alias, found);
      return found.length;
    });
  }

  return {
    async detach(ctx, accountId) {
      const until = performance.now() + LIMIT_MS;
      for (const detachSome of [detachConnections, detachRevocations]) {
        while ((await detachSome(ctx, accountId)) === BATCH) if (performance.now() >= until) return false;
      }
      return true;
    },
  };
}
