import { setTimeout as delay } from 'node:timers/promises';
import { JetStreamApiCodes, JetStreamApiError, jetstream } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import type { KV, KvEntry } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import type { z } from 'zod';
import type { Logger } from '../telemetry/logger.ts';
import type { NatsLink } from './link.ts';
import { NatsUnavailableError } from './unavailable.ts';

/** A value with its revision, which grows with each write until the bucket is recreated or restored. */
interface BucketEntry<T> {
  readonly value: T;
  readonly revision: number;
}

/** The newest value of each key. Every process that opens the bucket has a copy. */
export interface Bucket<T> {
  /** Whether the bucket was read once. From then on, `get` works even during an outage of NATS. */
  isRead(): boolean;
  /** The newest known value. */
  get(key: string): BucketEntry<T> | undefined;
  /** Calls the listener after each change, until the returned function is called. */
  subscribe(onChange: () => void): () => void;
  /**
   * Replaces the stored value by the result of `next`; undefined: keeps it and returns it. `next` runs again if
   * another process was faster. Rejects with NatsUnavailableError, after which the value may still be written.
   */
  update(key: string, next: (current: T | undefined) => T | undefined): Promise<BucketEntry<T> | undefined>;
}

/** Declares a bucket. The first process that opens it creates it. */
export interface BucketDefinition<T> {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodType<T>;
  /** Compares the age of two values of a key, even across a recreated bucket or an older copy of its data. */
  readonly isNewer: (value: T, than: T) => boolean;
}

const ANSWER_LIMIT_MS = 2_000;
const RETRY_MS = 500;
const CHECK_MS = 2_000;
const MAX_BYTES = 1024 * 1024;
const ATTEMPTS = 10;
const CONFLICTS = new Set<number>([
  JetStreamApiCodes.StreamWrongLastSequence,
  JetStreamApiCodes.StreamWrongLastSequenceUnknown,
]);

/** Opens the bucket, with a watch on each connection. A lost bucket is recreated with the values that this process knows. */
export function openBucket<T>(o: {
  readonly link: Pick<NatsLink, 'current' | 'onConnected'>;
  readonly definition: BucketDefinition<T>;
  readonly log: Logger;
}): Bucket<T> {
  const { name, description, schema, isNewer } = o.definition;
  const known = new Map<string, BucketEntry<T>>();
  const listeners = new Set<() => void>();
  let isRead = false;

  const notify = (): void => {
    for (const listener of listeners) listener();
  };
  const open = async (connection: NatsConnection): Promise<KV> =>
    new Kvm(jetstream(connection, { timeout: ANSWER_LIMIT_MS })).create(name, {
      description,
      history: 1,
      max_bytes: MAX_BYTES,
    });
  const parse = (entry: KvEntry): T | undefined => {
    try {
      return schema.parse(entry.json());
    } catch (error) {
      o.log.warn({ err: error, bucket: name, key: entry.key }, 'a value of a NATS bucket is not understood');
      return undefined;
    }
  };
  const take = (key: string, next: BucketEntry<T>): void => {
    const now = known.get(key);
    if (now !== undefined && isNewer(now.value, next.value)) return;
    known.set(key, next);
    // The watch reports this process's own writes again.
    const isKnown = now?.revision === next.revision && !isNewer(next.value, now.value);
    if (isRead && !isKnown) notify();
  };
  /**
   * Takes the bucket's value, unless it is older because the bucket was recreated or restored; then writes the newer
   * value to the bucket.
   */
  const takeEntry = async (kv: KV, entry: KvEntry): Promise<void> => {
    const { key, revision } = entry;
    if (entry.operation !== 'PUT') {
      if (known.delete(key) && isRead) notify();
      return;
    }
    const value = parse(entry);
    if (value === undefined) return;
    const now = known.get(key);
    if (now !== undefined && isNewer(now.value, value)) await write(kv, key, now.value, entry);
    else take(key, { value, revision });
  };
  /** Writes known values that the bucket has lost. */
  const restore = async (kv: KV, kept: ReadonlySet<string>): Promise<void> => {
    for (const [key, { value }] of known) if (!kept.has(key)) await write(kv, key, value, null);
  };

  async function watch(connection: NatsConnection, lost: AbortSignal): Promise<void> {
    const kv = await open(connection);
    const bucket = (await kv.status()).streamInfo.created;
    const entries = await kv.watch();
    const end = (): void => entries.stop();
    lost.addEventListener('abort', end, { once: true });
    if (lost.aborted) end();
    let seen = 0;
    const kept = new Set<string>();
    const markRead = async (): Promise<void> => {
      await restore(kv, kept);
      if (isRead) return;
      isRead = true;
      notify();
    };
    /** Ends a watch whose bucket is gone, or which has silently stopped. */
    const check = async (): Promise<void> => {
      for (let before = 0; !lost.aborted;) {
        const { created, state } = (await kv.status()).streamInfo;
        const isEmpty = state.messages === 0;
        if (created !== bucket || (seen < before && !isEmpty)) break;
        if (isEmpty) kept.clear();
        if (isEmpty) await markRead();
        before = state.last_seq;
        await delay(CHECK_MS, undefined, { signal: ended.signal, ref: false });
      }
    };
    const ended = new AbortController();
    const checked = check()
      .catch(() => undefined)
      .finally(end);
    try {
      for await (const entry of entries) {
        seen = entry.revision;
        kept.add(entry.key);
        await takeEntry(kv, entry);
        if (entry.delta === 0) await markRead();
      }
    } finally {
      lost.removeEventListener('abort', end);
      ended.abort();
      await checked;
    }
  }

  o.link.onConnected((connection, lost) => {
    const run = async (): Promise<void> => {
      while (!lost.aborted) {
        try {
          await watch(connection, lost);
        } catch (error) {
          if (!lost.aborted) o.log.warn({ err: error, bucket: name }, 'a NATS bucket cannot be read yet');
        }
        await delay(RETRY_MS, undefined, { signal: lost, ref: false }).catch(() => undefined);
      }
    };
    void run();
  });

  const reach = async <A>(work: Promise<A>): Promise<A> => {
    try {
      return await work;
    } catch (error) {
      throw new NatsUnavailableError('NATS did not confirm the content of a bucket.', { cause: error });
    }
  };

  return {
    isRead: () => isRead,
    get: (key) => known.get(key),
    subscribe(onChange) {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    async update(key, next) {
      const connection = o.link.current();
      if (connection === undefined) throw new NatsUnavailableError('NATS is unreachable.');
      const kv = await reach(open(connection));
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        const entry = await reach(kv.get(key));
        if (entry !== null) await reach(takeEntry(kv, entry));
        const now = known.get(key);
        const value = next(now?.value);
        if (value === undefined) return now;
        const revision = await reach(write(kv, key, value, entry));
        if (revision === undefined) continue;
        take(key, { value, revision });
        return { value, revision };
      }
      throw new NatsUnavailableError(
        'Every attempt to write a key of a bucket lost against another process.',
      );
    },
  };
}

/** Replaces the entry, or creates it if `entry` is null. Returns the revision, or undefined if another process was faster. */
async function write(
  kv: KV,
  key: string,
  value: unknown,
  entry: KvEntry | null,
): Promise<number | undefined> {
  const text = JSON.stringify(value);
  try {
    return entry === null ? await kv.create(key, text) : await kv.update(key, text, entry.revision);
  } catch (error) {
    if (error instanceof JetStreamApiError && CONFLICTS.has(error.code)) return undefined;
    throw error;
  }
}
