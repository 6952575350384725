import { parseCanaryRules } from '@fairlead/service-kit/canary/rules';
import { canaryState, trackOf } from '@fairlead/service-kit/canary/track';
import { z } from 'zod';
import { startLoad } from '../../faults/support/load.ts';
import type { Load, LoadRoute } from '../../faults/support/load.ts';
import { DATA_DEADLINE_MS } from '../../faults/support/traffic.ts';
import { createAccount } from './account.ts';
import { RELEASE } from './installation.ts';
import type { Installation } from './installation.ts';
import { until } from './kubernetes.ts';
import { metricsOf, sumOf } from './metrics.ts';

const CREATORS = 8;
const CALLERS = 12;
const CALLS_OF_A_STEP = 300;
/** A request with a single RPC of tools. */
const PATH = '/v1/executions?top=1';
const SERVED = 'rpc_server_duration_seconds_count';
const TOOLS: CountedRpc = { service: 'tools', method: 'ListExecutions' };
/** Longest time until every pod applies a change; the kubelet updates a mounted ConfigMap within a minute and a half. */
export const OBEYED_MS = 180_000;

/** An account with a key. */
export type Account = Awaited<ReturnType<typeof createAccount>>;
type Headers = Readonly<Record<string, string>>;

const keysSchema = z.object({ items: z.array(z.object({ id: z.string() })) });
const changedSchema = z.object({
  laggingProcesses: z.array(z.unknown()),
  values: z.record(z.string(), z.unknown()).optional(),
});
const rulesMap = z.object({ data: z.object({ 'rules.json': z.string() }) });

/** An RPC that shows which pods of a service were called. */
export interface CountedRpc {
  readonly service: string;
  readonly method: string;
}

/** Number of RPCs served by the pods of each track. */
interface Counts {
  readonly stable: number;
  readonly canary: number;
}

/** The findings of a step: a line with its figures, and its problems. */
export interface Finding {
  readonly figure: string;
  readonly problems: readonly string[];
}

/** Creates accounts, each with a key. */
export async function createAccounts({ target }: Installation, count: number): Promise<readonly Account[]> {
  const accounts: Account[] = [];
  let left = count;
  const create = async (): Promise<void> => {
    while (left-- > 0) accounts.push(await createAccount(target));
  };
  await Promise.all(Array.from({ length: CREATORS }, create));
  return accounts;
}

/** Headers with which an account chooses the canary. */
export function chosen({ apiKey }: Account): Headers {
  return { 'x-api-key': apiKey, 'x-canary-tools': 'canary' };
}

/** Id of the account's key. */
export async function keyIdOf({ target }: Installation, { apiKey }: Account): Promise<string> {
  const answer = await fetch(`${target.baseUrl}/admin/v1/api-keys`, { headers: { 'x-api-key': apiKey } });
  const [key] = keysSchema.parse(await answer.json()).items;
  if (key === undefined) throw new Error('The account has no key');
  return key.id;
}

/** The accounts that the rule in the ConfigMap sends to the canary of tools at this weight. */
export async function expectedAt(
  { namespace }: Installation,
  accounts: readonly Account[],
  weight: number,
): Promise<readonly Account[]> {
  const { data } = await namespace.get('configmap', `${RELEASE}-canary`, rulesMap);
  return insideAt('tools', data['rules.json'], accounts, weight);
}

/** The accounts that a service's rule in the text of `rules.json` sends to its canary at this weight. */
export function insideAt(
  service: string,
  rules: string,
  accounts: readonly Account[],
  weight: number,
): readonly Account[] {
  const rule = parseCanaryRules(rules).get(service);
  if (rule === undefined) throw new Error(`The rules have no canary of ${service}`);
  const state = { ...canaryState(rule, undefined), weight, isOpen: true };
  return accounts.filter(({ accountId }) => trackOf(service, state, { accountId }) === 'canary');
}

/** Starts a load by these accounts; resolves once a call has succeeded. */
export async function startCanaryLoad({ target }: Installation, accounts: readonly Account[]): Promise<Load> {
  const routes = accounts.map(({ apiKey }): LoadRoute => ({
    name: 'GET /v1/executions',
    method: 'GET',
    path: PATH,
    headers: { 'x-api-key': apiKey },
    deadlineMs: DATA_DEADLINE_MS,
  }));
  const load = startLoad({ baseUrl: target.baseUrl, apiKey: '', routes, callers: CALLERS, pauseMs: 20 });
  await load.untilWell(OBEYED_MS);
  return load;
}

/** Upgrades to a canary of tools with these values; returns to none after `act`. */
export async function withCanary<T>(
  installation: Installation,
  canary: object,
  act: () => Promise<T>,
): Promise<T> {
  const { upgrade, namespace } = installation;
  await upgrade({ services: { tools: { canary } } });
  try {
    await until('the former pods of tools have ended', OBEYED_MS, async () => {
      const pods = await namespace.pods('app.kubernetes.io/component=tools');
      return pods.every(({ metadata }) => metadata.deletionTimestamp === undefined);
    });
    return await act();
  } finally {
    await upgrade({});
    await untilNoCanary(installation, 'tools');
  }
}

/** Resolves once a service has no canary pods. */
export async function untilNoCanary({ namespace }: Installation, service: string): Promise<void> {
  await until('the canary is gone', OBEYED_MS, async () => {
    const pods = await namespace.pods(`app.kubernetes.io/component=${service}-canary`);
    return pods.length === 0;
  });
}

/** RPCs that the pods of each track serve during the next calls of a load. */
export function servedFurther(installation: Installation, load: Load, rpc = TOOLS): Promise<Counts> {
  return servedDuring(
    installation,
    async () => {
      const from = load.outcomes.length;
      await until('the load goes on', OBEYED_MS, () => load.outcomes.length >= from + CALLS_OF_A_STEP);
    },
    rpc,
  );
}

/** Changes a canary like its operator; throws if a process does not apply the change. Returns the values named by a promotion. */
export async function change(
  { target }: Installation,
  method: 'PATCH' | 'POST',
  path: '' | '/promote' | '/abort',
  body?: object,
  service = TOOLS.service,
): Promise<object> {
  const answer = await fetch(`${target.baseUrl}/operator/v1/canaries/${service}${path}`, {
    method,
    headers: {
      'x-api-key': target.operatorKey,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${String(answer.status)} ${await answer.text()}`);
  const { laggingProcesses, values = {} } = changedSchema.parse(await answer.json());
  if (laggingProcesses.length > 0)
    throw new Error(`${method} ${path}: not obeyed by ${JSON.stringify(laggingProcesses)}`);
  return values;
}

/** Calls once with each of these headers; returns the number of failed calls. */
export async function callAll({ target }: Installation, headers: readonly Headers[]): Promise<number> {
  let next = 0;
  let failed = 0;
  const caller = async (): Promise<void> => {
    for (let own = headers[next++]; own !== undefined; own = headers[next++]) {
      const status = await fetch(target.baseUrl + PATH, { headers: own }).then(
        async (answer) => {
          await answer.arrayBuffer();
          return answer.status;
        },
        () => 0,
      );
      if (status !== 200) failed++;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return failed;
}

/** RPCs that the pods of each track serve while `act` runs, without pods that end meanwhile. */
export async function servedDuring(
  { namespace }: Installation,
  act: () => Promise<unknown>,
  { service, method }: CountedRpc = TOOLS,
): Promise<Counts> {
  const servedBy = async (component: string): Promise<ReadonlyMap<string, number>> => {
    const pods = await namespace.pods(`app.kubernetes.io/component=${component}`);
    const counts = pods.map(async ({ metadata: { name } }) => {
      const text = await metricsOf(namespace, name).catch(() => '');
      return [name, sumOf(text, SERVED, { method }) ?? 0] as const;
    });
    return new Map(await Promise.all(counts));
  };
  const tracks = [service, `${service}-canary`];
  const before = await Promise.all(tracks.map(servedBy));
  await act();
  const after = await Promise.all(tracks.map(servedBy));
  const [stable = 0, canary = 0] = after.map((pods, index) =>
    [...pods].reduce((sum, [name, count]) => sum + Math.max(0, count - (before[index]?.get(name) ?? 0)), 0),
  );
  return { stable, canary };
}
