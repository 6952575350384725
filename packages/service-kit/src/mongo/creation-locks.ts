import type {
  ClientSession,
  Collection,
  Document,
  Filter,
  OptionalUnlessRequiredId,
  UpdateFilter,
} from 'mongodb';
import type { RequestContext } from '../context/context.ts';
import { defineCollection } from './collection.ts';
import { operationOptions } from './mongo.ts';
import type { MongoStore, OperationOptions } from './mongo.ts';

/** A document that every creation writes. If two creations happen at once, one is repeated and sees the other's result. */
export interface LockDocument {
  /** Grows with every creation. */
  readonly writes: number;
}

/** The lock of the creations of one kind in an account. */
interface AccountLockDocument extends LockDocument {
  readonly accountId: string;
  readonly kind: string;
}

/** The collection for services that limit the number of an account's records. Its stored name is that of earlier releases. */
export const creationLockCollection = defineCollection<AccountLockDocument>({
  name: 'places',
  indexes: [{ key: { accountId: 1, kind: 1 }, name: 'one_a_kind', unique: true }],
});

/** A lock: a document of a collection with a unique index on `key`. */
interface CreationLock<T extends LockDocument> {
  readonly at: Collection<T>;
  readonly key: Filter<T>;
}

/** Options of the counting read, within the transaction. */
type CountOptions = OperationOptions & { readonly session: ClientSession };

/** The lock of the creations of `kind` in an account. */
export function creationLock(
  store: Pick<MongoStore, 'collection'>,
  accountId: string,
  kind: string,
): CreationLock<AccountLockDocument> {
  return { at: store.collection(creationLockCollection), key: { accountId, kind } };
}

/** Whether fewer than `most` documents match. */
export function fewerThan<T extends Document>(
  most: number,
  { of, like }: { readonly of: Collection<T>; readonly like: Filter<T> },
): (options: CountOptions) => Promise<boolean> {
  return async (options) => (await of.countDocuments(like, { ...options, limit: most })) < most;
}

/**
 * Whether there is room for one more; call it in the transaction that creates the record. `hasRoom` counts the
 * existing records. Simultaneous creations cannot exceed a limit together: they write the same document, so one
 * follows the other. No counter is stored, so a crash loses no room, and a deletion makes room again.
 */
export async function hasRoomUnderLock<T extends LockDocument>(
  session: ClientSession,
  ctx: RequestContext,
  { at, key }: CreationLock<T>,
  hasRoom: (options: CountOptions) => Promise<boolean>,
): Promise<boolean> {
  const options = { ...operationOptions(ctx), session };
  // Every document of T has the member.
  const write = { $inc: { writes: 1 } } as unknown as UpdateFilter<T>;
  await at.updateOne(key, write, { ...options, upsert: true });
  return await hasRoom(options);
}

/**
 * Runs `create` in a transaction if there is room (hasRoomUnderLock), and returns its result; otherwise `full`.
 * Creations of one process with the same lock take turns, so only other replicas can cause repetitions.
 */
export async function createUnderLock<R, T extends LockDocument>(
  store: Pick<MongoStore, 'withTransaction'>,
  ctx: RequestContext,
  lock: CreationLock<T>,
  hasRoom: (options: CountOptions) => Promise<boolean>,
  create: (session: ClientSession) => Promise<R>,
): Promise<R | 'full'> {
  return await inTurn(`${lock.at.namespace} ${JSON.stringify(lock.key)}`, () =>
    store.withTransaction(async (session) =>
      (await hasRoomUnderLock(session, ctx, lock, hasRoom)) ? await create(session) : 'full',
    ),
  );
}

/** Inserts a document of an account, unless the account has `most` such documents; returns whether it was inserted. */
export async function insertWithin<T extends Document & { readonly accountId: string }>(
  store: Pick<MongoStore, 'collection' | 'withTransaction'>,
  ctx: RequestContext,
  {
    into,
    document,
    most,
    like,
  }: {
    readonly into: Collection<T>;
    readonly document: OptionalUnlessRequiredId<T>;
    readonly most: number;
    readonly like: Filter<T>;
  },
): Promise<boolean> {
  const lock = creationLock(store, document.accountId, into.collectionName);
  const outcome = await createUnderLock(
    store,
    ctx,
    lock,
    fewerThan(most, { of: into, like }),
    async (session) => {
      await into.insertOne(document, { ...operationOptions(ctx), session });
      return 'inserted' as const;
    },
  );
  return outcome === 'inserted';
}

/** The end of the last creation, by lock. */
const turns = new Map<string, Promise<void>>();

/** Runs `work` after all earlier work with the same key. Earlier work ends by its deadlines, which are earlier too. */
async function inTurn<R>(key: string, work: () => Promise<R>): Promise<R> {
  const before = turns.get(key);
  const { promise: end, resolve } = Promise.withResolvers<void>();
  turns.set(key, end);
  await before;
  try {
    return await work();
  } finally {
    resolve();
    if (turns.get(key) === end) turns.delete(key);
  }
}
