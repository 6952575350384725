import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../telemetry/logger.ts';
import type { KubernetesService } from './address-setting.ts';
import { getFrom, linesOf } from './api-server.ts';
import type { ApiServer } from './api-server.ts';
import { hostsOf, sliceEvent, sliceList } from './endpoint-slices.ts';
import type { EndpointSlice } from './endpoint-slices.ts';
import { createReportedList } from './reported-addresses.ts';
import type { OpenAddresses, RecordCount } from './reported-addresses.ts';

/** The API server ends a watch then; longer than the minute after which it sends a bookmark. */
const WATCH_SECONDS = 300;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/** One that lasted that long did not fail at once. */
const HEALTHY_MS = 1_000;
const LONGEST_WAIT_MS = 1_000;

/**
 * The addresses of the ready replicas of a Service, from a list of its EndpointSlices and a watch that continues it. While
 * the API server is away, the last known ones stay.
 */
export function openKubernetesAddresses(
  { service, namespace, port }: KubernetesService,
  o: {
    readonly service: string;
    readonly log: Logger;
    readonly api: ApiServer;
    readonly record?: RecordCount;
  },
): OpenAddresses {
  const query = `labelSelector=${encodeURIComponent(`kubernetes.io/service-name=${service}`)}`;
  const path = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices?${query}`;
  const list = createReportedList(o);
  const stop = new AbortController();
  let slices = new Map<string, EndpointSlice>();
  let version: string | undefined;
  let isFailing = false;
  /** The list that is under way or comes next. */
  let listed = Promise.withResolvers<void>();

  const publish = (): void => list.replace(hostsOf(slices.values()).map((host) => `http://${host}:${port}`));

  async function listAll(): Promise<string> {
    const response = await getFrom(o.api, path, stop.signal);
    const { items, metadata } = sliceList.parse(JSON.parse(await text(response)));
    slices = new Map(items.map((slice) => [slice.metadata.name, slice]));
    publish();
    return metadata.resourceVersion;
  }

  async function watch(from: string): Promise<void> {
    const more = `watch=true&allowWatchBookmarks=true&timeoutSeconds=${WATCH_SECONDS}&resourceVersion=${from}`;
    for await (const line of linesOf(await getFrom(o.api, `${path}&${more}`, stop.signal))) {
      const { type, object } = sliceEvent.parse(JSON.parse(line));
      // 410 Gone: the version is older than what the API server has kept.
      if (type === 'ERROR')
        throw new Error(`The watch has ended: ${object.code ?? ''} ${object.message ?? ''}`);
      version = object.metadata.resourceVersion;
      if (type === 'BOOKMARK') continue;
      if (type === 'DELETED') slices.delete(object.metadata.name);
      else slices.set(object.metadata.name, object);
      publish();
    }
  }

  async function follow(): Promise<void> {
    try {
      version ??= await listAll();
      listed.resolve();
      if (isFailing) o.log.info({ peer: o.service }, 'the addresses of a service are watched again');
      isFailing = false;
      await watch(version);
    } catch (error) {
      if (!stop.signal.aborted && !isFailing)
        o.log.warn(
          { err: error, peer: o.service },
          'the watch of addresses failed and will be started again',
        );
      isFailing = true;
      version = undefined;
      listed.resolve();
      listed = Promise.withResolvers();
    }
  }

  async function loop(): Promise<void> {
    let attempts = 0;
    while (!stop.signal.aborted) {
      const startedAt = performance.now();
      await follow();
      attempts = performance.now() - startedAt < HEALTHY_MS ? attempts + 1 : 1;
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), LONGEST_PAUSE_MS);
      // Processes that lose the API server together do not come back together.
      const spreadMs = pauseMs * (0.5 + Math.random() / 2);
      await delay(spreadMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
    }
  }

  const ended = loop();
  return {
    current: list.current,
    subscribe: list.subscribe,
    async renew() {
      if (version !== undefined) return;
      await Promise.race([listed.promise, delay(LONGEST_WAIT_MS, undefined, { ref: false })]);
    },
    async close() {
      stop.abort();
      await ended;
    },
  };
}
