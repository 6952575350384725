import { ApiServerError, patchAt } from '../discovery/api-server.ts';
import type { ApiServer } from '../discovery/api-server.ts';
import { watchObjects } from '../discovery/watch-objects.ts';
import type { ObjectWatch } from '../discovery/watch-objects.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { CanaryChange } from './change.ts';
import type { CanaryChanges } from './changes.ts';
import { canaryRoute, parentsOf, weightOfRoute } from './route-object.ts';
import type { CanaryRoute } from './route-object.ts';
import type { CanaryRule } from './rules.ts';
import type { CanaryState } from './track.ts';

type RouteRef = Extract<CanaryRule, { mode: 'route' }>['route'];

/** The canaries whose routes are followed. */
interface FollowedCanaries {
  current(): ReadonlyMap<string, CanaryState>;
  subscribe(onChange: () => void): () => void;
}

interface FollowedRoute {
  readonly ref: string;
  readonly close: () => Promise<void>;
  /** Writes the route's weight and status again after a change of the rule. */
  readonly repeat: () => void;
}

const PLURALS = { GRPCRoute: 'grpcroutes', HTTPRoute: 'httproutes' } as const;
const RETRY_MS = 1_000;
const CONFLICT = 409;

/**
 * Watches the route of each canary with mode `route`, writes its weight as a change, and reports in the route's
 * status when it is applied. Several processes may do so at once. While the API server is unavailable, the last
 * weights stay.
 */
export function followCanaryRoutes(o: {
  readonly canaries: FollowedCanaries;
  readonly changes: Pick<CanaryChanges, 'write'>;
  readonly api: () => ApiServer;
  readonly log: Logger;
}): { close(): Promise<void> } {
  const followed = new Map<string, FollowedRoute>();
  const closing: Promise<void>[] = [];

  function update(): void {
    const rules = o.canaries.current();
    for (const [service, { ref, close }] of followed) {
      if (refOf(rules.get(service)) === ref) continue;
      followed.delete(service);
      closing.push(close());
    }
    for (const [service, { rule }] of rules) {
      if (rule.mode !== 'route') continue;
      const known = followed.get(service);
      if (known === undefined) followed.set(service, followRoute({ ...o, service, route: rule.route }));
      else known.repeat();
    }
  }

  const unsubscribe = o.canaries.subscribe(update);
  update();
  return {
    async close() {
      unsubscribe();
      await Promise.all([...closing, ...[...followed.values()].map(({ close }) => close())]);
    },
  };
}

function refOf(state: CanaryState | undefined): string | undefined {
  return state?.rule.mode === 'route' ? JSON.stringify(state.rule.route) : undefined;
}

function followRoute(o: {
  readonly canaries: FollowedCanaries;
  readonly changes: Pick<CanaryChanges, 'write'>;
  readonly api: () => ApiServer;
  readonly log: Logger;
  readonly service: string;
  readonly route: RouteRef;
}): FollowedRoute {
  const { service, route, log } = o;
  const { namespace, name, kind } = route;
  const path = `/apis/${route.apiVersion}/namespaces/${namespace}/${PLURALS[kind]}`;
  const stop = new AbortController();
  let latest: CanaryRoute | undefined;
  /** The last applied route, with its rule. */
  let appliedKey: string | undefined;
  let isListed = false;
  let isWorking = false;
  let retry: NodeJS.Timeout | undefined;

  /** Applies the latest route; repeats if another one arrives meanwhile. */
  async function work(api: ApiServer): Promise<void> {
    if (isWorking || !isListed || stop.signal.aborted) return;
    isWorking = true;
    try {
      for (;;) {
        const [current, digest] = [latest, o.canaries.current().get(service)?.digest];
        const key = JSON.stringify([digest, current?.metadata.resourceVersion]);
        if (digest === undefined || key === appliedKey) break;
        await o.changes.write(service, (newest) => changeOf(current, digest, newest));
        if (current !== undefined) await writeStatus(api, current);
        appliedKey = key;
      }
    } catch (error) {
      if (!stop.signal.aborted) {
        log.warn({ err: error, canary: service, route: name }, 'the weight of a route is not applied yet');
        clearTimeout(retry);
        retry = setTimeout(() => void work(api), RETRY_MS);
      }
    } finally {
      isWorking = false;
    }
  }

  async function writeStatus(api: ApiServer, { metadata, ...current }: CanaryRoute): Promise<void> {
    const parents = parentsOf({ metadata, ...current }, new Date());
    if (parents === undefined) return;
    const patch = { metadata: { resourceVersion: metadata.resourceVersion }, status: { parents } };
    try {
      await patchAt(api, `${path}/${name}/status`, patch, stop.signal);
    } catch (error) {
      // Another process or controller was faster; the watch will report its status.
      if (!(error instanceof ApiServerError) || error.status !== CONFLICT) throw error;
    }
  }

  let watch: ObjectWatch | undefined;
  let repeat = (): void => undefined;
  try {
    const api = o.api();
    watch = watchObjects({
      api,
      path: `${path}?fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`,
      schema: canaryRoute,
      onChange(routes) {
        latest = routes.get(name);
        isListed = true;
        void work(api);
      },
      log,
      about: { canary: service, route: name },
      subject: 'the weights of a route',
    });
    repeat = () => void work(api);
  } catch (error) {
    log.error({ err: error, canary: service }, 'the route of a canary cannot be watched');
  }
  return {
    ref: JSON.stringify(route),
    repeat,
    async close() {
      stop.abort();
      clearTimeout(retry);
      await watch?.close();
    },
  };
}

/** The change that a route requests; undefined if it was already made, or if an operator's change followed it. */
function changeOf(
  route: CanaryRoute | undefined,
  of: string,
  newest: CanaryChange | undefined,
): Omit<CanaryChange, 'at'> | undefined {
  const former = newest?.of === of ? newest : undefined;
  const base = { isAborted: false, by: 'route', of } as const;
  // A deleted route sends nothing to the canary.
  if (route === undefined)
    return former === undefined || former.weight === 0 ? undefined : { ...base, weight: 0 };
  const { generation: routeGeneration, uid: routeUid } = route.metadata;
  const isKnown = former?.routeUid === routeUid && (former.routeGeneration ?? -1) >= routeGeneration;
  if (isKnown) return undefined;
  const weight = weightOfRoute(route);
  // An abort lasts until the route has sent everything to stable.
  const isAborted = former?.isAborted === true && weight > 0;
  return { ...base, weight, isAborted, routeGeneration, routeUid };
}
