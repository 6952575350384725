import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import type { ClientSession, Collection, Db, Document } from 'mongodb';
import type { RequestContext } from '../context/context.ts';
import type { CollectionDefinition } from './collection.ts';
import { databaseFailure } from './database-errors.ts';
import type { Logger } from '../telemetry/logger.ts';
import { mongoTracingOptions, traceMongo } from './tracing.ts';
import { expandDatabase } from './schema.ts';
import type { DatabaseSchema } from './schema.ts';
import type { Secret } from '../secret.ts';

/** A service's database. */
export interface MongoStore {
  readonly db: Db;
  readonly client: MongoClient;
  /** A declared collection. */
  collection<T extends Document>(d: CollectionDefinition<T>): Collection<T>;
  /** The next number of the sequence `name`: 1, 2, 3 …; never repeated, with gaps if its user fails. */
  nextSequence(name: string): Promise<number>;
  /**
   * Reserves `count` numbers of the sequence `name` in a transaction and returns the last one. If two transactions run at once, one is repeated, so numbers become visible in order. An aborted transaction leaves no gap.
   */
  takeSequence(session: ClientSession, name: string, count: number): Promise<number>;
  /** Runs `f` in a transaction, which is repeated as a whole after a transient failure, so `f` must have no other side effect. */
  withTransaction<R>(f: (session: ClientSession) => Promise<R>): Promise<R>;
  close(): Promise<void>;
}

const SERVER_SELECTION_MS = 5_000;
const CONNECT_ATTEMPTS = 12;
const CONNECT_PAUSE_MS = 500;

/**
 * Connects to a service's database and adds missing parts of the declared schema: collections, migrations (once,
 * whatever the number of replicas), indexes. Removes nothing. Waits about a minute for MongoDB, then throws. Reads
 * and writes are majority and journaled, so acknowledged writes survive a failover.
 */
export async function connectMongo(o: DatabaseAddress & DatabaseSchema): Promise<MongoStore> {
  const { client, db } = await openDatabase(o);
  try {
    await expandDatabase(db, o, o.log);
  } catch (error) {
    await client.close();
    throw error;
  }
  return createStore(client, db);
}

/** The database, and the log. */
export interface DatabaseAddress {
  readonly uri: Secret;
  readonly database: string;
  readonly log: Logger;
}

/** Connects to a database like `connectMongo`, without changing it. */
export async function openDatabase(
  o: DatabaseAddress,
): Promise<{ readonly client: MongoClient; readonly db: Db }> {
  const client = new MongoClient(o.uri.reveal(), {
    writeConcern: { w: 'majority', journal: true },
    readConcern: { level: 'majority' },
    retryWrites: true,
    retryReads: true,
    serverSelectionTimeoutMS: SERVER_SELECTION_MS,
    connectTimeoutMS: SERVER_SELECTION_MS,
    ignoreUndefined: true,
    appName: o.database,
    ...mongoTracingOptions(),
  });
  traceMongo(client);
  try {
    await connectPatiently(client, o.log);
  } catch (error) {
    await client.close();
    throw error;
  }
  return { client, db: client.db(o.database) };
}

async function connectPatiently(client: MongoClient, log: Logger): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.connect();
      return;
    } catch (error) {
      if (databaseFailure(error) !== 'unavailable' || attempt === CONNECT_ATTEMPTS) throw error;
      log.warn({ err: error, attempt, attempts: CONNECT_ATTEMPTS }, 'MongoDB is not available yet');
      await delay(CONNECT_PAUSE_MS);
    }
  }
}

/** Collection of the sequences of a database. */
export const SEQUENCES = '_sequences';

/** A sequence and its last number. */
export interface SequenceDocument {
  readonly _id: string;
  readonly value: number;
}

/** The store on an open database. */
export function createStore(client: MongoClient, db: Db): MongoStore {
  const sequences = db.collection<SequenceDocument>(SEQUENCES);
  const advance = async (
    name: string,
    count: number,
    options: { session?: ClientSession },
  ): Promise<number> => {
    const last = await sequences.findOneAndUpdate(
      { _id: name },
      { $inc: { value: count } },
      { ...options, upsert: true, returnDocument: 'after' },
    );
    if (last === null) throw new Error(`The sequence ${name} was not counted.`);
    return last.value;
  };
  return {
    db,
    client,
    collection: <T extends Document>(d: CollectionDefinition<T>) => db.collection<T>(d.name),
    nextSequence: (name) => advance(name, 1, {}),
    takeSequence: (session, name, count) => advance(name, count, { session }),
    withTransaction: (f) => client.withSession((session) => session.withTransaction(() => f(session))),
    close: () => client.close(),
  };
}

/** A request's remaining time and signal, as options of one database call. */
export interface OperationOptions {
  readonly maxTimeMS?: number;
  readonly signal: AbortSignal;
}

/**
 * Passes a request's deadline and cancellation to a database call: the server stops at the deadline, and a read stops
 * waiting when the request aborts. (The driver's own `timeoutMS` has no effect in this version.)
 */
export function operationOptions(ctx: RequestContext): OperationOptions {
  if (ctx.deadline === undefined) return { signal: ctx.signal };
  return { maxTimeMS: Math.max(1, ctx.deadline.getTime() - Date.now()), signal: ctx.signal };
}
