// `npm run bench -- executions`: starts its own stack and measures an execution's CPU cost in all its processes, beside whoami, and its
// latency for one caller, beside a direct call with two journaled writes.
import { parseArgs } from 'node:util';
import type { DevStack } from '../setup/dev-stack.ts';
import { startStack } from '../setup/start-stack.ts';
import { executeRoute, prepareConnection } from '../faults/support/traffic.ts';
import { startChild } from './child.ts';
import type { Scripts } from './child.ts';
import type { LoopResult } from './closed-loop.ts';
import { median, noise } from './statistics.ts';
import { connectHttp, measureStep, PROCESS_NAMES, totalOf, warmUp } from './step-costs.ts';
import type { Cost, Request, Round } from './step-costs.ts';
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
const load = { callers, durationMs };
/** Warm-up calls of each step: V8 compiles frequently run code, so a rarely called step would otherwise be measured uncompiled. */
const warmCalls = Number(values.warm);

/** A connection has 20 permits (CONNECTION_CONCURRENCY), so the callers share two connections. */
const CONNECTIONS = 2;
/** The measured calls. The handlers' tool may have effects, so its row is written before the call and completed afterwards. */
const STEPS = [
  'whoami',
  'dry run',
  'HTTP tool that reads',
  'handler that sends nothing',
  'handler that sends',
] as const;
type Step = (typeof STEPS)[number];

/** Requests of each step, one per connection. */
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
    // The handler returns at once, because such a request has no body.
    const refused = { fields: { ...call.fields, method: 'GET' } };
    const path = `/v1/tools/http-send-request/execute?connectionId=${await connectHttp(stack, vendorUrl)}`;
    requests['handler that sends nothing'].push(post(path, refused));
    requests['handler that sends'].push(post(path, call));
  }
  return requests;
}

function describeCosts(of: ReadonlyMap<Step, readonly Round[]>): string {
  const costs = (step: Step): readonly Cost[] => (of.get(step) ?? []).map(({ cost }) => cost);
  const unit = median(costs('whoami').map(totalOf));
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
      ...PROCESS_NAMES.map((name) => line(name, (cost) => cost[name])),
      line('all', totalOf),
      ['± %', ...STEPS.map((step) => (100 * noise(costs(step).map(totalOf))).toFixed(0))],
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
  for (const step of STEPS) await warmUp(generators, requests[step], load, warmCalls);
  for (let round = 0; round < rounds; round += 1) {
    for (const step of round % 2 === 0 ? STEPS : STEPS.toReversed())
      costs.get(step)?.push(await measureStep(stack, generators, requests[step], load));
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
