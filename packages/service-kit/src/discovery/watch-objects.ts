import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Logger } from '../telemetry/logger.ts';
import { getFrom, linesOf } from './api-server.ts';
import type { ApiServer } from './api-server.ts';

/** Requested duration of a watch; longer than the minute between bookmarks. */
const WATCH_SECONDS = 300;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/** A watch that lasted this long did not fail at once. */
const HEALTHY_MS = 1_000;
const LONGEST_WAIT_MS = 1_000;

interface NamedObject {
  readonly metadata: { readonly name: string };
}

/** A watch that continues until it is closed. */
export interface ObjectWatch {
  /** If the watch has failed, resolves after the next list, within a second. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

const version = z.looseObject({ resourceVersion: z.string() });
const listSchema = z.object({ metadata: version, items: z.array(z.unknown()) });
/** One line of a watch. */
const watched = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['ADDED', 'MODIFIED', 'DELETED']), object: z.looseObject({ metadata: version }) }),
  z.object({ type: z.literal('BOOKMARK'), object: z.object({ metadata: version }) }),
  z.object({
    type: z.literal('ERROR'),
    object: z.object({ code: z.number().optional(), message: z.string().optional() }),
  }),
]);

/**
 * Follows the objects at `path` (with a query) by a list and a subsequent watch. `onChange` gets all objects by name
 * after each change. While the API server is unavailable, it is not called.
 */
export function watchObjects<T extends NamedObject>(o: {
  readonly api: ApiServer;
  readonly path: string;
  readonly schema: z.ZodType<T>;
  readonly onChange: (objects: ReadonlyMap<string, T>) => void;
  readonly log: Logger;
  /** Fields of log lines. */
  readonly about: object;
  /** Noun for the objects in the messages of log lines. */
  readonly subject: string;
}): ObjectWatch {
  const { api, path, schema, onChange, log, about, subject } = o;
  const stop = new AbortController();
  let objects = new Map<string, T>();
  let at: string | undefined;
  let isFailing = false;
  /** The current or next list. */
  let list = Promise.withResolvers<void>();

  async function listAll(): Promise<string> {
    const response = await getFrom(api, path, stop.signal);
    const { items, metadata } = listSchema.parse(JSON.parse(await text(response)));
    objects = new Map(
      items.map((item) => schema.parse(item)).map((object) => [object.metadata.name, object]),
    );
    onChange(objects);
    return metadata.resourceVersion;
  }

  async function watch(from: string): Promise<void> {
    const more = `watch=true&allowWatchBookmarks=true&timeoutSeconds=${WATCH_SECONDS}&resourceVersion=${from}`;
    for await (const line of linesOf(await getFrom(api, `${path}&${more}`, stop.signal))) {
      const event = watched.parse(JSON.parse(line));
      // 410 Gone: the API server no longer has this version.
      if (event.type === 'ERROR')
        throw new Error(`The watch has ended: ${event.object.code ?? ''} ${event.object.message ?? ''}`);
      at = event.object.metadata.resourceVersion;
      if (event.type === 'BOOKMARK') continue;
      const object = schema.parse(event.object);
      if (event.type === 'DELETED') objects.delete(object.metadata.name);
      else objects.set(object.metadata.name, object);
      onChange(objects);
    }
  }

  async function follow(): Promise<void> {
    try {
      at ??= await listAll();
      list.resolve();
      if (isFailing) log.info(about, `${subject} are watched again`);
      isFailing = false;
      await watch(at);
    } catch (error) {
      if (!stop.signal.aborted && !isFailing)
        log.warn({ err: error, ...about }, `the watch of ${subject} failed and will be started again`);
      isFailing = true;
      at = undefined;
      list.resolve();
      list = Promise.withResolvers();
    }
  }

  async function loop(): Promise<void> {
    let attempts = 0;
    while (!stop.signal.aborted) {
      const startedAt = performance.now();
      await follow();
      attempts = performance.now() - startedAt < HEALTHY_MS ? attempts + 1 : 1;
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), LONGEST_PAUSE_MS);
      // Random, so that processes that lose the API server together do not return together.
      const spreadMs = pauseMs * (0.5 + Math.random() / 2);
      await delay(spreadMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
    }
  }

  const ended = loop();
  return {
    async renew() {
      if (at !== undefined) return;
      await Promise.race([list.promise, delay(LONGEST_WAIT_MS, undefined, { ref: false })]);
    },
    async close() {
      stop.abort();
      await ended;
    },
  };
}
