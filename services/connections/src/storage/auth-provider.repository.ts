import type { ClientSession, Document, Filter, UpdateFilter } from 'mongodb';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { guid } from '@fairlead/service-kit/ids';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import { createUnderLock, fewerThan, creationLock } from '@fairlead/service-kit/mongo/creation-locks';
import { newestPage } from '@fairlead/service-kit/mongo/newest-page';
import { Secret } from '@fairlead/service-kit/secret';
import { isDuplicateKey } from '@fairlead/service-kit/mongo/write-errors';
import { PROVIDER_SLOTS } from '@fairlead/connector-model/enumerations';
import type { ProviderSlot } from '@fairlead/connector-model/enumerations';
import { MAX_AUTH_PROVIDERS } from '../domain/auth-provider.ts';
import type {
  AuthProvider,
  AuthProviderWithSecrets,
  SlotChanges,
  SlotValues,
} from '../domain/auth-provider.ts';
import type { AuthProviderChange, AuthProviderStore, ProvidedMethod } from '../ports/auth-provider-store.ts';
import type { AuthProviderDocument, RetiredAuthProviderDocument } from './auth-provider.collection.ts';
import {
  authProviderCollection,
  NAME_INDEX,
  retiredAuthProviderCollection,
} from './auth-provider.collection.ts';
import { recordOpening } from './credential-openings.ts';
import { connectionCollection } from './connection.collection.ts';
import { recordOf } from './credential-vault.ts';
import type { CredentialVault } from './credential-vault.ts';
import { revocationCollection } from './revocation.collection.ts';

/** Sequence of provider ids. */
export const AUTH_PROVIDER_SEQUENCE = 'auth_providers';
const INT32_MAX = 2 ** 31 - 1;

/** The auth providers in MongoDB; `vault` seals secrets before they are stored. */
export function createAuthProviderRepository(store: MongoStore, vault: CredentialVault): AuthProviderStore {
  const providers = store.collection(authProviderCollection);
  const retired = store.collection(retiredAuthProviderCollection);
  const connections = store.collection(connectionCollection);
  const revocations = store.collection(revocationCollection);

  /** Removes the mark of the method's former default. */
  async function resignDefault(
    session: ClientSession,
    {
      accountId,
      applicationSlug,
      authenticationId,
    }: Pick<AuthProviderDocument, 'accountId' | 'applicationSlug' | 'authenticationId'>,
    now: Date,
  ): Promise<void> {
    await providers.updateMany(
      { accountId, applicationSlug, authenticationId, isDefault: true },
      { $set: { isDefault: false, updatedAt: now } },
      { session },
    );
  }

  /**
   * Makes every grant through a provider due for renewal. The renewal finds that the grant belongs to a former address, as a call would.
   */
  async function endSignIns(ctx: RequestContext, accountId: string, id: number, now: Date): Promise<void> {
    await connections.updateMany(
      { accountId, authProviderId: id, grant: 'authorizationCode', needsReauthentication: false },
      [
        {
          $set: {
            'credential.renewal': {
              lane: { $ifNull: ['$credential.renewal.lane', '$applicationSlug'] },
              at: now,
              claim: null,
            },
          },
        },
      ],
      operationOptions(ctx),
    );
  }

  async function openProvider(
    ctx: RequestContext,
    document: AuthProviderDocument | null,
    place: ProviderPlace = 'auth_providers',
  ): Promise<AuthProviderWithSecrets | undefined> {
    if (document === null) return undefined;
    const { accountId, _id: authProviderId } = document;
    const opening = { purpose: 'authProvider', accountId, authProviderId } as const;
    return {
      provider: toAuthProvider(document),
      secrets: await recordOpening(ctx, opening, () => openSlots(vault, document, place)),
    };
  }

  return {
    async nextId() {
      const id = await store.nextSequence(AUTH_PROVIDER_SEQUENCE);
      if (id > INT32_MAX) throw new Error('No auth provider ids are left.');
      return id;
    },

    async insert(ctx, { id, slots, ...same }) {
      const { accountId, createdAt } = same;
      const document: AuthProviderDocument = {
        ...same,
        _id: id,
        values: slots.plain,
        secrets: await sealSlots(vault, accountId, id, slots.secret),
        useCount: 0,
        lastError: null,
        updatedAt: createdAt,
      };
      return await unlessTaken(() =>
        createUnderLock(
          store,
          ctx,
          creationLock(store, accountId, 'auth_providers'),
          fewerThan(MAX_AUTH_PROVIDERS, { of: providers, like: { accountId } }),
          async (session) => {
            if (document.isDefault) await resignDefault(session, document, createdAt);
            await providers.insertOne(document, { ...operationOptions(ctx), session });
            return toAuthProvider(document);
          },
        ),
      );
    },

    async find(ctx, accountId, id) {
      const document = await providers.findOne({ accountId, _id: id }, operationOptions(ctx));
      return document === null ? undefined : toAuthProvider(document);
    },

    async open(ctx, accountId, by) {
      const filter: Filter<AuthProviderDocument> =
        'id' in by
          ? { accountId, _id: by.id }
          : 'name' in by
            ? { accountId, name: by.name }
            : { accountId, ...by.defaultOf, isDefault: true };
      return await openProvider(ctx, await providers.findOne(filter, operationOptions(ctx)));
    },

    async openRetired(ctx, accountId, id) {
      return await openProvider(
        ctx,
        await retired.findOne({ accountId, _id: id }, operationOptions(ctx)),
        RETIRED,
      );
    },

    async methods(ctx, accountId) {
      const namesIn = (members: string): Document => ({
        $map: { input: { $objectToArray: members }, in: '$$this.k' },
      });
      const groups = providers.aggregate<{ _id: ProvidedMethod }>(
        [
          { $match: { accountId, isEnabled: true } },
          {
            $group: {
              _id: {
                applicationSlug: '$applicationSlug',
                authenticationId: '$authenticationId',
                heldSlots: { $setUnion: [namesIn('$values'), namesIn('$secrets')] },
              },
            },
          },
        ],
        operationOptions(ctx),
      );
      return (await groups.toArray()).map(({ _id }) => _id);
    },

    async saveLastError(ctx, accountId, id, lastError) {
      // A thousand connections may report the same error; only the first one is written.
      const filter = { accountId, _id: id, lastError: { $ne: lastError } };
      await providers.updateOne(filter, { $set: { lastError } }, operationOptions(ctx));
    },

    async list(ctx, accountId, { usable, ...page }) {
      const filter: Filter<AuthProviderDocument> = {
        accountId,
        ...(usable !== undefined && { isEnabled: true }),
        ...(usable?.applicationSlug !== undefined && { applicationSlug: usable.applicationSlug }),
      };
      const { documents, totalCount } = await newestPage(providers, ctx, filter, page);
      return { items: documents.map(toAuthProvider), totalCount };
    },

    async update(ctx, accountId, id, change, { isMove, now }) {
      const update = await changingUpdate(vault, accountId, id, change, now);
      const addressRevision = guid();
      const changed = await unlessTaken(() =>
        store.withTransaction(async (session) => {
          const options = { ...operationOptions(ctx), session };
          const target = await providers.findOne({ accountId, _id: id }, options);
          if (target === null) return undefined;
          const moved = isMove(toAuthProvider(target)) ? { addressRevision } : {};
          if (change.isDefault === true && !target.isDefault) await resignDefault(session, target, now);
          const document = await providers.findOneAndUpdate(
            { accountId, _id: id },
            { ...update, $set: { ...update.$set, ...moved } },
            { ...options, returnDocument: 'after' },
          );
          return document === null ? undefined : toAuthProvider(document);
        }),
      );
      if (changed !== undefined && changed !== 'taken' && changed.addressRevision === addressRevision)
        await endSignIns(ctx, accountId, id, now);
      return changed;
    },

    async delete(ctx, accountId, id, now) {
      return await store.withTransaction(async (session) => {
        const options = { ...operationOptions(ctx), session };
        const user = await connections.findOne(
          { accountId, authProviderId: id },
          { ...options, projection: { _id: 1 } },
        );
        if (user !== null) return 'inUse';
        const waiting = { accountId, 'connection.authProviderId': id };
        const revocation = await revocations.findOne(waiting, { ...options, projection: { _id: 1 } });
        const provider = revocation && (await providers.findOne({ accountId, _id: id }, options));
        if (provider)
          await retired.insertOne(await retiredProvider(vault, provider, 'auth_providers', now), { session });
        // A concurrently created connection increments this document's use count, so one of the two transactions is retried.
        const { deletedCount } = await providers.deleteOne({ accountId, _id: id }, options);
        return deletedCount === 1 ? 'deleted' : 'missing';
      });
    },
  };
}

/** A provider without its sealed values. */
export function toAuthProvider({
  _id,
  secrets,
  useCount: _internal,
  ...same
}: AuthProviderDocument): AuthProvider {
  return { ...same, id: _id, secretSlots: Object.keys(secrets) };
}

async function unlessTaken<T>(write: () => Promise<T>): Promise<T | 'taken'> {
  try {
    return await write();
  } catch (error) {
    const isTaken = isDuplicateKey(error) && error.message.includes(NAME_INDEX);
    if (isTaken) return 'taken';
    throw error;
  }
}

/** The collections in which a provider's sealed values can be opened. */
type ProviderPlace = 'auth_providers' | 'retired_auth_providers';

const RETIRED = 'retired_auth_providers';

/**
 * A copy of a provider for later revocations, with its secrets sealed for the collection of such copies. A copy stored under another `key`
 * has an empty name.
 */
export async function retiredProvider(
  vault: CredentialVault,
  document: AuthProviderDocument,
  place: ProviderPlace,
  retiredAt: Date,
  key?: Pick<AuthProviderDocument, 'accountId' | '_id'>,
): Promise<RetiredAuthProviderDocument> {
  const { accountId, _id } = key ?? document;
  const slots = (await openSlots(vault, document, place)).reveal();
  const secrets = await sealSlots(vault, accountId, _id, slots, RETIRED);
  return { ...document, ...(key && { ...key, name: '' }), secrets, retiredAt };
}

async function sealSlots(
  vault: CredentialVault,
  accountId: string,
  id: number,
  secrets: SlotChanges['secret'],
  collection: ProviderPlace = 'auth_providers',
): Promise<AuthProviderDocument['secrets']> {
  const record = recordOf(collection, accountId, id);
  return await mapSlots(secrets, (slot, value) => vault.sealText(record, slot, new Secret(value)));
}

/** Slots with other values. */
async function mapSlots<T, R>(
  values: Readonly<Partial<Record<ProviderSlot, T>>>,
  map: (slot: ProviderSlot, value: T) => Promise<R>,
): Promise<Partial<Record<ProviderSlot, R>>> {
  const mapped = PROVIDER_SLOTS.map(async (slot) => {
    const value = values[slot];
    return value === undefined ? [] : [[slot, await map(slot, value)] as const];
  });
  return Object.fromEntries((await Promise.all(mapped)).flat()) as Partial<Record<ProviderSlot, R>>; // PROVIDER_SLOTS has these keys.
}

async function openSlots(
  vault: CredentialVault,
  { accountId, _id, secrets }: AuthProviderDocument,
  collection: ProviderPlace,
): Promise<Secret<SlotValues>> {
  const record = recordOf(collection, accountId, _id);
  const values = await mapSlots(secrets, (slot, sealed) => vault.openText(record, slot, sealed));
  return new Secret(
    Object.fromEntries(Object.entries(values).map(([slot, value]) => [slot, value.reveal()])),
  );
}

async function changingUpdate(
  vault: CredentialVault,
  accountId: string,
  id: number,
  { slots, ...same }: AuthProviderChange,
  now: Date,
): Promise<UpdateFilter<AuthProviderDocument>> {
  const isClientChanged = slots !== undefined || same.scopes !== undefined;
  const $set = { ...same, ...(isClientChanged && { lastError: null }), updatedAt: now };
  if (slots === undefined) return { $set };
  const sealed = await sealSlots(vault, accountId, id, slots.secret);
  // Removes the slot from the other place: a later release of the connector may have made it secret, or plain.
  const gone = [
    ...[...Object.keys(slots.plain), ...slots.cleared].map((slot) => `secrets.${slot}`),
    ...[...Object.keys(slots.secret), ...slots.cleared].map((slot) => `values.${slot}`),
  ];
  return {
    $set: {
      ...$set,
      ...prefixed('values', slots.plain),
      ...prefixed('secrets', sealed),
    },
    ...(gone.length > 0 && { $unset: Object.fromEntries(gone.map((path) => [path, ''])) }),
  };
}

/** Members as paths below `prefix`; slot names contain no dot. */
function prefixed<T>(prefix: string, members: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [`${prefix}.${name}`, value]));
}
