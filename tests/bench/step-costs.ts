import type { DevStack } from '../setup/dev-stack.ts';
import { processesOf } from '../faults/support/processes.ts';
import type { Scripts } from './child.ts';
import type { LoopResult } from './closed-loop.ts';
import { cpuMicros } from './measure.ts';
import type { LoadRequest, LoopRequest } from './requests.ts';

const PROCESSES = {
  gateway: 'services/gateway/src/main.ts',
  mcp: 'services/mcp/src/main.ts',
  tools: 'services/tools/src/main.ts',
  connections: 'services/connections/src/main.ts',
  catalog: 'services/catalog/src/main.ts',
  identity: 'services/identity/src/main.ts',
  mongod: 'mongod\0',
  nats: 'nats-server\0',
} as const;

/** Processes of a stack that a call may use. */
export const PROCESS_NAMES = [
  'gateway',
  'mcp',
  'tools',
  'connections',
  'catalog',
  'identity',
  'mongod',
  'nats',
] as const;

type Process = (typeof PROCESS_NAMES)[number];
type Generator = Scripts['load-generator'];

/** A repeated request. */
export type Request = Omit<LoadRequest, keyof LoopRequest>;

/** CPU microseconds per call, by process. */
export type Cost = Readonly<Record<Process, number>>;

/** One measurement of a step. */
export interface Round {
  readonly cost: Cost;
  readonly calls: number;
  readonly perSecond: number;
}

/** Connects the seeded account to an API at that address; returns the connection's id. */
export async function connectHttp({ baseUrl: at, account }: DevStack, baseUrl: string): Promise<number> {
  const response = await fetch(`${at}/v1/connections`, {
    method: 'POST',
    headers: { 'x-api-key': account.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      applicationSlug: 'http',
      connectionName: `Bench ${performance.now()}`,
      authenticationId: 3,
      fields: { baseUrl, token: 'bench-token-of-the-vendor' },
    }),
  });
  if (response.status !== 201)
    throw new Error(`create answered ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { id: number }).id; // the contract's Connection
}

/** Makes calls of a step until `calls` are done. */
export async function warmUp(
  generators: readonly Generator[],
  requests: readonly Request[],
  o: LoopRequest,
  calls: number,
): Promise<void> {
  for (let made = 0; made < calls;) made += (await load(generators, requests, o)).calls;
}

/** Puts a step under load for a while, and measures its calls' CPU cost in the stack's processes. */
export async function measureStep(
  stack: DevStack,
  generators: readonly Generator[],
  requests: readonly Request[],
  o: LoopRequest,
): Promise<Round> {
  const before = usedBy(stack);
  const { calls, perSecond } = await load(generators, requests, o);
  const after = usedBy(stack);
  const cost = PROCESS_NAMES.map((name) => [name, (after[name] - before[name]) / calls]);
  // One entry per name.
  return { cost: Object.fromEntries(cost) as Cost, calls, perSecond };
}

/** The total cost in all processes. */
export function totalOf(cost: Cost): number {
  return PROCESS_NAMES.reduce((sum, name) => sum + cost[name], 0);
}

/** The generators share the callers and make the requests in turn. Throws if a call fails. */
async function load(
  generators: readonly Generator[],
  requests: readonly Request[],
  { callers, durationMs }: LoopRequest,
): Promise<Pick<LoopResult, 'calls' | 'perSecond'>> {
  const results = await Promise.all(
    generators.map((generator, index) => {
      const request = requests[index % requests.length];
      if (request === undefined) throw new Error('A step has no request.');
      return generator.request({ ...request, callers: callers / generators.length, durationMs });
    }),
  );
  const sum = (of: (result: LoopResult) => number): number =>
    results.reduce((total, each) => total + of(each), 0);
  if (sum(({ failures }) => failures) > 0) throw new Error('Calls failed.');
  return { calls: sum(({ calls }) => calls), perSecond: sum(({ perSecond }) => perSecond) };
}

function usedBy(stack: DevStack): Cost {
  const used = PROCESS_NAMES.map((name) => [
    name,
    processesOf(stack, PROCESSES[name]).reduce((sum, id) => sum + cpuMicros(id), 0),
  ]);
  // One entry per name.
  return Object.fromEntries(used) as Cost;
}
