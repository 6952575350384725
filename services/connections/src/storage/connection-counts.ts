import type { ApplicationKind } from '@fairlead/connector-model/enumerations';
import { APPLICATION_KINDS } from '@fairlead/connector-model/enumerations';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { AnyBulkWriteOperation, ClientSession, Collection, Db } from 'mongodb';
import type { ConnectionStatus } from '../domain/connection.ts';
import { CONNECTION_STATUSES } from '../domain/connection.ts';
import type { ConnectionCountDocument, CountsByKind } from './connection-count.collection.ts';
import { ALL_COUNTED, connectionCountCollection } from './connection-count.collection.ts';
import type { ConnectionDocument } from './connection.collection.ts';
import { connectionCollection, OF_APPLICATION_INDEX } from './connection.collection.ts';

/** The members by which a stored connection is counted. One without `listedStatus` is not counted. */
export type Countable = Pick<
  ConnectionDocument,
  '_id' | 'accountId' | 'applicationSlug' | 'kind' | 'listedStatus'
>;

/** A connection before and after a write; undefined: it did not exist then. */
export interface CountedWrite {
  readonly former: Countable | undefined;
  readonly present: Countable | undefined;
}

/** Counts of an account's connections, maintained on write (ADR 37). */
export interface ConnectionCounts {
  /** Counts writes within their transaction, so that the counts are exact. */
  add(session: ClientSession, writes: readonly CountedWrite[]): Promise<void>;
  /** Whether every connection is counted. Once true, it stays true. */
  areComplete(ctx: RequestContext): Promise<boolean>;
  /** The counts of all connections of an account, or of one application. Requires complete counts. */
  read(
    ctx: RequestContext,
    accountId: string,
    applicationSlug: string | undefined,
  ): Promise<readonly ConnectionCount[]>;
}

/** Counts by kind and status, without zeros. */
export interface ConnectionCount {
  readonly kind: ApplicationKind;
  readonly status: ConnectionStatus;
  readonly count: number;
}

// Writers of different slots do not conflict. A list reads one document per slot.
const SLOTS = 32;

/** Marks the counts as complete. Correct only if every connection was counted when it was written. */
export async function completeCounts(db: Db): Promise<void> {
  const mark = { accountId: ALL_COUNTED, applicationSlug: null, slot: 0 };
  await countersIn(db).updateOne(mark, { $setOnInsert: { counts: {} } }, { upsert: true });
}

/**
 * Recounts an account's connections in one transaction. Concurrent writers of counted connections are safe: on conflict, one of the two
 * transactions is retried.
 */
export async function recount(db: Db, accountId: string): Promise<void> {
  const connections = db.collection<ConnectionDocument>(connectionCollection.name);
  await db.client.withSession(async (session) =>
    session.withTransaction(async () => {
      await countersIn(db).deleteMany({ accountId }, { session });
      const projection = { accountId: 1, applicationSlug: 1, kind: 1, listedStatus: 1 };
      const writes: CountedWrite[] = [];
      for await (const present of connections.find({ accountId }, { session, projection }))
        writes.push({ former: undefined, present });
      const updates = incrementsOf(writes);
      if (updates.length > 0) await countersIn(db).bulkWrite(updates, { session });
    }),
  );
}

function countersIn(db: Db): Collection<ConnectionCountDocument> {
  return db.collection<ConnectionCountDocument>(connectionCountCollection.name);
}

/** The counters in MongoDB. */
export function createConnectionCounts(store: MongoStore): ConnectionCounts {
  const counters = store.collection(connectionCountCollection);
  const connections = store.collection(connectionCollection);
  let isComplete = false;

  /** Removes counters of an application without connections, so that an account has no unneeded ones. */
  async function removeUnused(session: ClientSession, { former, present }: CountedWrite): Promise<void> {
    if (former === undefined || present !== undefined || !hasApplicationCounts(former)) return;
    const { accountId, applicationSlug } = former;
    const options = { session, projection: { _id: 1 } };
    const other = await connections.findOne({ accountId, applicationSlug }, options);
    if (other === null) await counters.deleteMany({ accountId, applicationSlug }, { session });
  }

  /** An MCP connection has its own application, which has no counters. */
  async function ofOwnApplication(
    ctx: RequestContext,
    accountId: string,
    applicationSlug: string,
  ): Promise<CountsByKind> {
    const own = await connections.findOne(
      { accountId, applicationSlug, kind: 'MCPClient' },
      { ...operationOptions(ctx), projection: { listedStatus: 1 }, hint: OF_APPLICATION_INDEX },
    );
    return own?.listedStatus === undefined ? {} : { MCPClient: { [own.listedStatus]: 1 } };
  }

  return {
    async add(session, writes) {
      const updates = incrementsOf(writes);
      if (updates.length > 0) await counters.bulkWrite(updates, { session });
      for (const write of writes) await removeUnused(session, write);
    },

    async areComplete(ctx) {
      isComplete ||= (await counters.findOne({ accountId: ALL_COUNTED }, operationOptions(ctx))) !== null;
      return isComplete;
    },

    async read(ctx, accountId, application) {
      const applicationSlug = application ?? null;
      const documents = await counters
        .find({ accountId, applicationSlug }, { ...operationOptions(ctx), projection: { counts: 1 } })
        .toArray();
      const tables = documents.map(({ counts }) => counts);
      if (applicationSlug !== null) tables.push(await ofOwnApplication(ctx, accountId, applicationSlug));
      const counts = APPLICATION_KINDS.flatMap((kind) =>
        CONNECTION_STATUSES.map((status) => ({ kind, status, count: sumOf(tables, kind, status) })),
      );
      return counts.filter(({ count }) => count > 0);
    },
  };
}

function sumOf(tables: readonly CountsByKind[], kind: ApplicationKind, status: ConnectionStatus): number {
  return tables.reduce((sum, counts) => sum + (counts[kind]?.[status] ?? 0), 0);
}

/** An MCP connection is the only one of its application. */
function hasApplicationCounts({ kind }: Pick<Countable, 'kind'>): boolean {
  return kind !== 'MCPClient';
}

function incrementsOf(writes: readonly CountedWrite[]): AnyBulkWriteOperation<ConnectionCountDocument>[] {
  const counters = new Map<string, { filter: CounterKey; increments: Map<string, number> }>();
  const addTo = (filter: CounterKey, path: string, by: number): void => {
    const key = JSON.stringify(filter);
    const counter = counters.get(key) ?? { filter, increments: new Map<string, number>() };
    counter.increments.set(path, (counter.increments.get(path) ?? 0) + by);
    counters.set(key, counter);
  };
  for (const { former, present } of writes) {
    for (const [connection, by] of [[former, -1] as const, [present, 1] as const]) {
      if (connection?.listedStatus === undefined) continue;
      const path = `counts.${connection.kind}.${connection.listedStatus}`;
      for (const key of keysOf(connection)) addTo(key, path, by);
    }
  }
  return [...counters.values()].flatMap(({ filter, increments }) => {
    const $inc = Object.fromEntries([...increments].filter(([, by]) => by !== 0));
    return Object.keys($inc).length === 0 ? [] : [{ updateOne: { filter, update: { $inc }, upsert: true } }];
  });
}

type CounterKey = Pick<ConnectionCountDocument, 'accountId' | 'applicationSlug' | 'slot'>;

function keysOf(connection: Countable): CounterKey[] {
  const { accountId, applicationSlug } = connection;
  const slot = connection._id % SLOTS;
  const ofAll = { accountId, applicationSlug: null, slot };
  return hasApplicationCounts(connection) ? [ofAll, { accountId, applicationSlug, slot }] : [ofAll];
}
