import { createWorkThread } from '@fairlead/service-kit/threads/work-thread';
import type { WorkThread } from '@fairlead/service-kit/threads/work-thread';
import type { Clock } from '@fairlead/service-kit/clock';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import { DIMENSIONS } from './vectors.ts';
import type { Vector } from './vectors.ts';

const queries = registry.counter({
  name: 'search_queries_total',
  help: 'Queries whose meaning was wanted; outcome is found, cached, or why keywords alone had to do: cold, late, busy, failed.',
  labels: ['outcome'],
});

/** Idle time after which the thread ends and frees its 150 MB. */
const IDLE_MS = 600_000;
/** Heap limits of the thread. Its live heap is 36 MB; without limits it holds 200 MB of garbage under load, at the same CPU time. */
const HEAP = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 80 } as const;
/** How long a search waits for the embedding of its query. */
const QUERY_WAIT_MS = 250;
/** After a failure, search uses keywords only for this time. */
const REST_MS = 5_000;
const MAX_WAITING = { all: 64, ofAccount: 4 } as const;
/** Texts per batch: a query waits for one such batch. */
const BATCH = 4;
/** Queue limit of texts, per account and for the platform. Dropped texts are requested again by a later search. */
const MAX_TEXTS = { ofPlatform: 20_000, ofAccount: 2_000 } as const;
const MAX_RECENT_QUERIES = 1_000;

/** Computes embeddings of texts, in a thread. */
export interface Embedder {
  /** The embedding of an account's query; undefined: not available in time, and the search uses keywords only. */
  ofQuery(accountId: string, query: string): Promise<Vector | undefined>;
  /**
   * Embeds texts while no query waits, and calls `take` with each vector and the text's index. Owners (an account, or '' for the platform)
   * take turns. Resolves when none of the texts waits any more; some may have no vector then.
   */
  embed(owner: string, texts: readonly string[], take: (at: number, vector: Vector) => void): Promise<void>;
  close(): Promise<void>;
}

interface Query {
  readonly accountId: string;
  readonly text: string;
  readonly done: PromiseWithResolvers<Vector | undefined>;
}

interface Waiting {
  readonly text: string;
  /** Undefined: the text gets no vector. */
  readonly settle: (vector: Vector | undefined) => void;
}

/** Creates the embedder. Its thread starts with the first search; `charge` gets the CPU time used for an account. */
export function createEmbedder(o: {
  readonly clock: Clock;
  readonly log: Logger;
  readonly charge: (accountId: string, cpuMs: number) => void;
  readonly thread?: WorkThread<readonly string[], Int8Array<ArrayBuffer>>;
  readonly waitMs?: number;
}): Embedder {
  const thread =
    o.thread ??
    createWorkThread<readonly string[], Int8Array<ArrayBuffer>>(
      new URL('embedding.thread.ts', import.meta.url),
      IDLE_MS,
      HEAP,
    );
  const recent = new Map<string, Promise<Vector | undefined>>();
  const asked: Query[] = [];
  /** Queues by owner; the owner whose turn is next is first. */
  const texts = new Map<string, Waiting[]>();
  let isRunning = false;
  let isWarm = false;
  let restsUntil = 0;
  let isClosed = false;

  async function run(owner: string, job: readonly string[]): Promise<readonly Vector[] | undefined> {
    try {
      const { answer, cpuMs } = await thread.run('', job);
      isWarm = true;
      if (owner !== '') o.charge(owner, cpuMs);
      return job.map((_, at) => answer.slice(at * DIMENSIONS, (at + 1) * DIMENSIONS));
    } catch (error) {
      isWarm = false;
      drop();
      restsUntil = o.clock.now().getTime() + REST_MS;
      if (!isClosed)
        o.log.warn({ err: error }, 'search falls back to keywords: the thread of the model failed');
      return undefined;
    }
  }

  async function work(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    // No await between the last check for work and the end, so that no work is missed.
    while (hasWork()) await (asked.length > 0 ? answerQuery() : embedTexts());
    isRunning = false;
  }

  function hasWork(): boolean {
    return !isClosed && (asked.length > 0 || texts.size > 0);
  }

  async function answerQuery(): Promise<void> {
    const query = asked.shift();
    if (query === undefined) return;
    const vectors = await run(query.accountId, [query.text]);
    if (vectors === undefined) recent.delete(query.text);
    query.done.resolve(vectors?.[0]);
  }

  async function embedTexts(): Promise<void> {
    const [first] = texts;
    if (first === undefined) return;
    const [owner, waiting] = first;
    const batch = waiting.splice(0, BATCH);
    // Moves the owner to the end: the next owner has its turn.
    texts.delete(owner);
    if (waiting.length > 0) texts.set(owner, waiting);
    const vectors = await run(
      owner,
      batch.map(({ text }) => text),
    );
    for (const [at, { settle }] of batch.entries()) settle(vectors?.[at]);
  }

  /** Settles everything that waits, without vectors. A later search requests the texts again. */
  function drop(): void {
    for (const { text, done } of asked.splice(0)) {
      recent.delete(text);
      done.resolve(undefined);
    }
    for (const waiting of texts.values()) for (const { settle } of waiting) settle(undefined);
    texts.clear();
  }

  function isFull(accountId: string): boolean {
    const own = asked.filter((query) => query.accountId === accountId).length;
    return asked.length >= MAX_WAITING.all || own >= MAX_WAITING.ofAccount;
  }

  function ask(accountId: string, text: string): Promise<Vector | undefined> {
    const done = Promise.withResolvers<Vector | undefined>();
    asked.push({ accountId, text, done });
    recent.set(text, done.promise);
    const [oldest] = recent.keys();
    if (recent.size > MAX_RECENT_QUERIES && oldest !== undefined) recent.delete(oldest);
    void work();
    return done.promise;
  }

  function count(outcome: string): undefined {
    queries.series(outcome).add();
  }

  return {
    async ofQuery(accountId, query) {
      const text = query.trim();
      if (text === '') return undefined;
      const known = recent.get(text);
      if (known === undefined) {
        if (isClosed || o.clock.now().getTime() < restsUntil) return count('failed');
        if (isFull(accountId)) return count('busy');
      }
      const vector = known ?? ask(accountId, text);
      if (!isWarm) return count('cold');
      const found = await withinTime(vector, o.waitMs ?? QUERY_WAIT_MS);
      if (found === 'late') return count('late');
      count(found === undefined ? 'failed' : known === undefined ? 'found' : 'cached');
      return found;
    },
    async embed(owner, wanted, take) {
      if (isClosed || o.clock.now().getTime() < restsUntil) return;
      const waiting = texts.get(owner) ?? [];
      const room = (owner === '' ? MAX_TEXTS.ofPlatform : MAX_TEXTS.ofAccount) - waiting.length;
      const settled = wanted.slice(0, Math.max(room, 0)).map((text, at) => {
        const done = Promise.withResolvers<void>();
        waiting.push({
          text,
          settle(vector) {
            if (vector !== undefined) take(at, vector);
            done.resolve();
          },
        });
        return done.promise;
      });
      if (waiting.length > 0) texts.set(owner, waiting);
      void work();
      await Promise.all(settled);
    },
    async close() {
      isClosed = true;
      await thread.close();
      drop();
    },
  };
}

async function withinTime(
  vector: Promise<Vector | undefined>,
  ms: number,
): Promise<Vector | undefined | 'late'> {
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => late.resolve('late'), ms);
  try {
    return await Promise.race([vector, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
