// `npm run bench:executions`: starts its own stack, and measures what an execution costs all of its processes, beside whoami, and
// what one caller waits for it, beside a direct call with two journaled writes.
import { parseArgs } from 'node:util';
import type { DevStack } from '../setup/dev-stack.ts';
import { startStack } from '../setup/start-stack.ts';
import { processesOf } from '../faults/support/processes.ts';
import { executeRoute, prepareConnection } from '../faults/support/traffic.ts';
import { startChild } from './child.ts';
import type { Scripts } from './child.ts';
import type { LoopResult } from './closed-loop.ts';
import { cpuMicros } from './measure.ts';
import type { LoadRequest } from './requests.ts';
import { median, noise } from './statistics.ts';
import { table } from './table.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '3' },
    callers: { type: 'string', default: '32' },
    warm: { type: 'string', default: '10000' },
  },
});
const durationMs = Number(values.seconds) * 1_000;
const rounds = Number(values.rounds);
const callers = Number(values.callers);
/**
 * Calls of each step before it is measured: V8 compiles what runs often, and a step that is called a tenth as often would else be
 * measured before that, beside one that is measured afterwards.
 */
const warmCalls = Number(values.warm);

/** As a connection has 20 slots (CONNECTION_CONCURRENCY), the callers share two. */
const CONNECTIONS = 2;
const PROCESSES = {
  gateway: 'services/gateway/src/main.ts',
  tools: 'services/tools/src/main.ts',
  connections: 'services/connections/src/main.ts',
  catalog: 'services/catalog/src/main.ts',
  identity: 'services/identity/src/main.ts',
  mongod: 'mongod\0',
  nats: 'nats-server\0',
} as const;
type Process = keyof typeof PROCESSES;
const NAMES = ['gateway', 'tools', 'connections', 'catalog', 'identity', 'mongod', 'nats'] as const;

type Request = Omit<LoadRequest, 'callers' | 'durationMs'>;
/** The measured calls. The handlers' tool may have effects, so that its row is written before the call and completed afterwards. */
const STEPS = [
  'whoami',
  'dry run',
  'HTTP tool that reads',
  'handler that sends nothing',
  'handler that sends',
] as const;
type Step = (typeof STEPS)[number];

/** CPU microseconds a call, by process. */
type Cost = Readonly<Record<Process, number>>;
interface Round {
  readonly cost: Cost;
  readonly perSecond: number;
}

/** The requests of each step, one a connection. */
async function requestsOf(stack: DevStack, vendorUrl: string): Promise<Record<Step, readonly Request[]>> {
  const headers = { 'x-api-key': stack.account.apiKey };
  const post = (path: string, body: unknown): Request => ({
    url: stack.baseUrl + path,
    headers,
    body: JSON.stringify(body),
  });
  const whoami = { url: `${stack.baseUrl}/v1/auth/whoami`, headers };
  const requests: Record<Step, Request[]> = {
    whoami: Array.from({ length: CONNECTIONS }, () => whoami),
    'dry run': [],
    'HTTP tool that reads': [],
    'handler that sends nothing': [],
    'handler that sends': [],
  };
  for (let count = 0; count < CONNECTIONS; count += 1) {
    const read = executeRoute(await prepareConnection(stack));
    requests['dry run'].push(post(`${read.path}&dryRun=true`, read.body));
    requests['HTTP tool that reads'].push(post(read.path, read.body));
    const call = { fields: { method: 'POST', url: '/', body: {} } };
    // The handler returns at once: such a request has no body.
    const refused = { fields: { ...call.fields, method: 'GET' } };
    const path = `/v1/tools/http-send-request/execute?connectionId=${await connectTo(stack, vendorUrl)}`;
    requests['handler that sends nothing'].push(post(path, refused));
    requests['handler that sends'].push(post(path, call));
  }
  return requests;
}

async function connectTo({ baseUrl: at, account }: DevStack, baseUrl: string): Promise<number> {
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

function usedBy(stack: DevStack): Cost {
  const used = NAMES.map((name) => [
    name,
    processesOf(stack, PROCESSES[name]).reduce((sum, id) => sum + cpuMicros(id), 0),
  ]);
  // One entry a name.
  return Object.fromEntries(used) as Cost;
}

/** Makes calls of a step until there were enough. */
async function warmUp(
  generators: readonly Scripts['load-generator'][],
  requests: readonly Request[],
): Promise<void> {
  for (let calls = 0; calls < warmCalls;) calls += (await load(generators, requests)).calls;
}

/** Puts a step under load for a while. */
async function load(
  generators: readonly Scripts['load-generator'][],
  requests: readonly Request[],
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

async function measured(
  stack: DevStack,
  generators: readonly Scripts['load-generator'][],
  requests: readonly Request[],
): Promise<Round> {
  const before = usedBy(stack);
  const { calls, perSecond } = await load(generators, requests);
  const after = usedBy(stack);
  const cost = NAMES.map((name) => [name, (after[name] - before[name]) / calls]);
  return { cost: Object.fromEntries(cost) as Cost, perSecond };
}

const total = (cost: Cost): number => NAMES.reduce((sum, name) => sum + cost[name], 0);

function describeCosts(of: ReadonlyMap<Step, readonly Round[]>): string {
  const costs = (step: Step): readonly Cost[] => (of.get(step) ?? []).map(({ cost }) => cost);
  const unit = median(costs('whoami').map(total));
  const cell = (step: Step, figure: (cost: Cost) => number): string => {
    const micros = median(costs(step).map(figure));
    return `${micros.toFixed(0)} µs ${(micros / unit).toFixed(1)} ×`;
  };
  const line = (name: string, figure: (cost: Cost) => number): string[] => [
    name,
    ...STEPS.map((step) => cell(step, figure)),
  ];
  return table(
    ['CPU a call', ...STEPS],
    [
      ...NAMES.map((name) => line(name, (cost) => cost[name])),
      line('all', total),
      ['± %', ...STEPS.map((step) => (100 * noise(costs(step).map(total))).toFixed(0))],
      [
        'calls a second',
        ...STEPS.map((step) => median((of.get(step) ?? []).map((each) => each.perSecond)).toFixed(0)),
      ],
    ],
  );
}

const stops: (() => Promise<void>)[] = [];
try {
  const vendor = await startChild('lean-vendor', { args: [] });
  stops.push(() => vendor.stop());
  const { url } = vendor.hello;
  const { stack, stop } = await startStack({
    env: { CONNECTOR_SETTINGS: JSON.stringify({ 'sandbox-crm': { baseUrl: url } }) },
  });
  stops.push(stop);
  const generators: Scripts['load-generator'][] = [];
  for (let count = 0; count < CONNECTIONS; count += 1) {
    const generator = await startChild('load-generator', { args: [] });
    stops.push(() => generator.stop());
    generators.push(generator);
  }
  const direct = await startChild('direct-caller', { args: [stack.mongodbUri, url] });
  stops.push(() => direct.stop());
  const requests = await requestsOf(stack, url);

  const costs = new Map<Step, Round[]>(STEPS.map((step) => [step, []]));
  const waits = new Map<string, number[]>();
  const note = (name: string, { p50Ms }: LoopResult): void => {
    waits.set(name, [...(waits.get(name) ?? []), p50Ms]);
  };
  for (const step of STEPS) await warmUp(generators, requests[step]);
  for (let round = 0; round < rounds; round += 1) {
    for (const step of round % 2 === 0 ? STEPS : STEPS.toReversed())
      costs.get(step)?.push(await measured(stack, generators, requests[step]));
    const one = { callers: 1, durationMs };
    note('direct call + two journaled writes', await direct.request(one));
    for (const step of STEPS) {
      const [request] = requests[step];
      if (generators[0] === undefined || request === undefined) continue;
      note(step, await generators[0].request({ ...request, ...one }));
    }
  }
  const base = median(waits.get('direct call + two journaled writes') ?? []);
  console.log(`${callers} callers\n\n${describeCosts(costs)}\n`);
  console.log(
    table(
      ['one caller, p50', 'ms', '× direct'],
      [...waits].map(([name, of]) => [name, median(of).toFixed(2), (median(of) / base).toFixed(1)]),
    ),
  );
} finally {
  for (const stop of stops.toReversed()) await stop();
}
