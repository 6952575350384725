import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { insertWithin } from '@fairlead/service-kit/mongo/creation-locks';
import { newestPage } from '@fairlead/service-kit/mongo/newest-page';
import { Secret } from '@fairlead/service-kit/secret';
import type { SealedValue } from '@fairlead/sealing/sealed-value';
import type { Sealer } from '@fairlead/sealing/sealing';
import type { ClientSession, Filter } from 'mongodb';
import { requireHeadersAgain } from '../domain/destination.ts';
import type { Deletion, Destination, DestinationChange, HeaderChange } from '../domain/destination.ts';
import { RESUME_WINDOW_MS } from '../domain/event.ts';
import type { DestinationStore } from '../ports/destination-store.ts';
import { destinationCollection } from './destination.collection.ts';
import type { DestinationDocument } from './destination.collection.ts';
import { destinationBinding } from './sealed-collections.ts';

type HeaderValues = Readonly<Record<string, string>>;

/** Destinations in MongoDB, with sealed secrets and headers. `recordDeletion` runs in the transaction of a deletion. */
export function createDestinationRepository(
  store: MongoStore,
  sealer: Pick<Sealer, 'seal' | 'open'>,
  recordDeletion: (session: ClientSession, deletion: Deletion) => Promise<void>,
): DestinationStore {
  const destinations = store.collection(destinationCollection);

  const sealSecret = (accountId: string, id: string, secret: Secret): Promise<SealedValue> =>
    sealer.seal(accountId, destinationBinding(id, 'secret'), secret.reveal());

  const sealHeaders = async (
    accountId: string,
    id: string,
    values: HeaderValues,
  ): Promise<SealedValue | null> =>
    Object.keys(values).length === 0
      ? null
      : await sealer.seal(accountId, destinationBinding(id, 'headers'), JSON.stringify(values));

  /** The headers after a change, or the names of headers to keep that do not exist. */
  async function changedHeaders(
    document: DestinationDocument,
    { values, kept }: HeaderChange,
  ): Promise<Pick<DestinationDocument, 'headers' | 'headerNames'> | readonly string[]> {
    const { accountId, _id, headerNames } = document;
    const unknown = kept.filter((name) => !headerNames.includes(name));
    if (unknown.length > 0) return unknown;
    const former = kept.length === 0 ? {} : (await openHeaders(sealer, document)).reveal();
    const keptValues = Object.fromEntries(kept.map((name) => [name, former[name] ?? '']));
    const next = { ...keptValues, ...values };
    return { headers: await sealHeaders(accountId, _id, next), headerNames: Object.keys(next) };
  }

  return {
    async insert(ctx, accountId, destination, most) {
      const { id, secret, headers, consecutiveFailures: _none, ...same } = destination;
      const document: DestinationDocument = {
        ...same,
        _id: id,
        accountId,
        secret: await sealSecret(accountId, id, secret),
        headers: await sealHeaders(accountId, id, headers.reveal()),
        deadStreak: [],
        epoch: 0,
        resumeFrom: null,
        isDeleted: false,
        upkeep: null,
      };
      const like = live({ accountId });
      return (await insertWithin(store, ctx, { into: destinations, document, most, like }))
        ? 'inserted'
        : 'tooMany';
    },

    async find(ctx, accountId, id) {
      const document = await destinations.findOne(live({ accountId, _id: id }), operationOptions(ctx));
      return document === null ? undefined : toDestination(document);
    },

    async findIds(ctx, accountId, ids) {
      const found = await destinations
        .find(live({ accountId, _id: { $in: [...ids] } }), {
          ...operationOptions(ctx),
          projection: { _id: 1 },
        })
        .toArray();
      return found.map(({ _id }) => _id);
    },

    async list(ctx, accountId, page) {
      const { documents, totalCount } = await newestPage(
        destinations,
        ctx,
        live({ accountId }),
        page,
        'list',
      );
      return { items: documents.map(toDestination), totalCount };
    },

    update: (_ctx, accountId, id, change, now) =>
      store.withTransaction(async (session) => {
        const found = await destinations.findOne(live({ accountId, _id: id }), { session });
        if (found === null) return { kind: 'missing' };
        requireHeadersAgain(found, change);
        const headers = change.headers === undefined ? {} : await changedHeaders(found, change.headers);
        if (Array.isArray(headers)) return { kind: 'unknownHeaders', names: headers };
        const { name, url, maxConsecutiveFailures } = change;
        const members = {
          ...(name !== undefined && { name }),
          ...(url !== undefined && { url }),
          ...(maxConsecutiveFailures !== undefined && { maxConsecutiveFailures }),
          ...headers,
          ...switched(found, change, now),
          updatedAt: now,
        };
        await destinations.updateOne({ accountId, _id: id }, { $set: members }, { session });
        return { kind: 'changed', destination: toDestination({ ...found, ...members }) };
      }),

    async replaceSecret(ctx, accountId, id, secret, now) {
      const document = await destinations.findOneAndUpdate(
        live({ accountId, _id: id }),
        { $set: { secret: await sealSecret(accountId, id, secret), updatedAt: now } },
        { ...operationOptions(ctx), returnDocument: 'after' },
      );
      return document === null ? undefined : toDestination(document);
    },

    delete: (_ctx, accountId, id, now) =>
      store.withTransaction(async (session) => {
        const upkeep = { lane: id, at: now, claim: null };
        const { matchedCount } = await destinations.updateOne(
          live({ accountId, _id: id }),
          { $set: { isDeleted: true, upkeep } },
          { session },
        );
        if (matchedCount === 0) return false;
        await recordDeletion(session, { accountId, destinationId: id, occurredAt: now });
        return true;
      }),
  };
}

/** The values of a destination's headers, by name. */
export async function openHeaders(
  sealer: Pick<Sealer, 'open'>,
  { accountId, _id, headers }: Pick<DestinationDocument, 'accountId' | '_id' | 'headers'>,
): Promise<Secret<HeaderValues>> {
  if (headers === null) return new Secret({});
  const text = await sealer.open(accountId, destinationBinding(_id, 'headers'), headers);
  // sealHeaders wrote this; the seal proves it.
  return new Secret(JSON.parse(text.reveal()) as HeaderValues);
}

/** Decodes a destination. */
export function toDestination(document: DestinationDocument): Destination {
  const { _id, name, url, headerNames, disabledReason, deadStreak } = document;
  const { maxConsecutiveFailures, createdAt, updatedAt } = document;
  return {
    id: _id,
    name,
    url,
    headerNames,
    disabledReason,
    consecutiveFailures: deadStreak.length,
    maxConsecutiveFailures,
    createdAt,
    updatedAt,
  };
}

function live(filter: Filter<DestinationDocument>): Filter<DestinationDocument> {
  return { ...filter, isDeleted: false };
}

/** The members that enabling or disabling changes; none if the state is already right. */
function switched(
  { disabledReason, epoch, _id }: DestinationDocument,
  { isEnabled }: DestinationChange,
  now: Date,
): Partial<DestinationDocument> {
  if (isEnabled === undefined || isEnabled === (disabledReason === null)) return {};
  if (!isEnabled) return { disabledReason: 'owner' };
  return {
    disabledReason: null,
    deadStreak: [],
    epoch: epoch + 1,
    resumeFrom: new Date(now.getTime() - RESUME_WINDOW_MS),
    upkeep: { lane: _id, at: now, claim: null },
  };
}
