// `npm run bench -- delivery`: starts its own stack and measures the cost of an event from inbound call to the receiver's answer, its
// latency, the effect of one hung destination on others and of many on another account, and the punctuality of retries; beside a bare
// express call and a majority write. `--only many-hung` runs one of these measurements.
import { parseArgs } from 'node:util';
import { MongoClient } from 'mongodb';
import { openTestLedger } from '@fairlead-services/delivery/testing/ledger';
import { storeEvent } from '@fairlead-services/delivery/testing/events';
import type { DevStack } from '../setup/dev-stack.ts';
import { startStack } from '../setup/start-stack.ts';
import { processesOf } from '../faults/support/processes.ts';
import { startChild } from './child.ts';
import type { Scripts, StartScript } from './child.ts';
import { cpuMicros } from './measure.ts';
import { median } from './statistics.ts';
import { table } from './table.ts';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '20000' },
    publishers: { type: 'string', default: '32' },
    seconds: { type: 'string', default: '20' },
    backlog: { type: 'string', default: '100000' },
    retries: { type: 'string', default: '500' },
    'hung-destinations': { type: 'string', default: '40' },
    only: { type: 'string' },
  },
});
const events = Number(values.events);
const publishers = Number(values.publishers);
const seconds = Number(values.seconds);
const backlog = Number(values.backlog);
const retries = Number(values.retries);
const hungDestinations = Number(values['hung-destinations']);

const PROCESSES = {
  gateway: 'services/gateway/src/main.ts',
  triggers: 'services/triggers/src/main.ts',
  delivery: 'services/delivery/src/main.ts',
  mongod: 'mongod\0',
  nats: 'nats-server\0',
} as const;
const NAMES = ['gateway', 'triggers', 'delivery', 'mongod', 'nats'] as const;
/** Number of destinations that share the load. */
const DESTINATIONS = 20;
const LIMIT_MS = 120_000;
const SMALL_BACKLOG = 1_000;
const CLAIMS = 50;
/** Events per hung destination: more than may wait for it. */
const EVENTS_OF_HUNG = 50;

type Source = Scripts['event-source'];
type Sink = Scripts['event-sink'];

type OfAccount = Pick<DevStack, 'baseUrl' | 'account'>;

async function post({ baseUrl, account }: OfAccount, path: string, body: unknown, method = 'POST') {
  const response = await fetch(baseUrl + path, {
    method,
    headers: { 'x-api-key': account.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as { id: string; inboundUrl: string }; // the contract's records
}

/** An inbound address for a new destination, and the destination's id. */
async function hookTo(stack: OfAccount, url: string): Promise<{ inboundUrl: string; destinationId: string }> {
  const { id: destinationId } = await post(stack, '/v1/triggers/destinations', { url });
  const trigger = { name: 'Bench', triggerTypeSlug: 'http_webhook', destinationIds: [destinationId] };
  const { inboundUrl } = await post(stack, '/v1/triggers', trigger);
  return { inboundUrl, destinationId };
}

function usedBy(stack: DevStack): ReadonlyMap<string, number> {
  return new Map(
    NAMES.map((name) => [
      name,
      processesOf(stack, PROCESSES[name]).reduce((sum, id) => sum + cpuMicros(id), 0),
    ]),
  );
}

/** Fires, waits for the arrivals, and returns them with the rate; throws if an event is missing. */
async function run(source: Source, sink: Sink, request: Parameters<Source['request']>[0], expected?: number) {
  const fired = await source.request(request);
  const answeredAtMs = Date.now();
  if (fired.failures > 0) throw new Error(`${fired.failures} calls were not acknowledged.`);
  const count = expected ?? request.count;
  const arrived = await sink.request({ count, limitMs: LIMIT_MS });
  if (arrived.arrived < count) throw new Error(`${count - arrived.arrived} events did not arrive.`);
  const behindMs = Math.max(0, arrived.lastAtMs - answeredAtMs);
  return { ...arrived, behindMs, perSecond: count / (fired.seconds + behindMs / 1_000) };
}

async function throughput(stack: DevStack, source: Source, sink: Sink): Promise<string> {
  const { inboundUrl } = await hookTo(stack, `${sink.hello.url}/throughput`);
  const request = { urls: [inboundUrl], count: events, callers: publishers };
  // Warm-up: V8 compiles frequently run code.
  await run(source, sink, request);
  const before = usedBy(stack);
  const { perSecond, behindMs, duplicates } = await run(source, sink, request);
  const after = usedBy(stack);
  const costs = NAMES.map((name) => ((after.get(name) ?? 0) - (before.get(name) ?? 0)) / events);
  const sum = costs.reduce((total, cost) => total + cost, 0);
  return table(
    ['CPU an event', ...NAMES, 'all', 'delivered/s', 'behind at the end', 'duplicates'],
    [
      [
        `${events} events, ${publishers} publishers`,
        ...[...costs, sum].map((cost) => `${cost.toFixed(0)} µs`),
        perSecond.toFixed(0),
        `${behindMs} ms`,
        String(duplicates),
      ],
    ],
  );
}

/** Cost of a bare call and a bare write on this machine: CPU of the serving process. */
async function baselines(stack: DevStack, start: StartScript): Promise<string> {
  const durationMs = Math.min(3, seconds) * 1_000;
  const [express, generator, writer] = [
    await start('bare-express'),
    await start('load-generator'),
    await start('mongo-writer', stack.mongodbUri),
  ];
  const url = `${express.hello.url}/v1/connections/1`;
  const load = { url, headers: {}, callers: publishers, durationMs };
  await generator.request(load);
  const expressBefore = cpuMicros(express.pid);
  const calls = await generator.request(load);
  const expressCpu = (cpuMicros(express.pid) - expressBefore) / calls.calls;
  const mongodCpu = (): number =>
    processesOf(stack, PROCESSES.mongod).reduce((sum, id) => sum + cpuMicros(id), 0);
  const before = mongodCpu();
  const writes = await writer.request({ callers: publishers, durationMs });
  const writeCpu = (mongodCpu() - before) / writes.calls;
  const line = (name: string, cpu: number, { perSecond, p50Ms }: typeof calls): string[] => [
    name,
    `${cpu.toFixed(0)} µs`,
    perSecond.toFixed(0),
    `${p50Ms.toFixed(1)} ms`,
  ];
  return table(
    ['beside it', 'CPU', 'a second', 'p50'],
    [line('bare express', expressCpu, calls), line('majority write (mongod)', writeCpu, writes)],
  );
}

async function latencies(stack: DevStack, source: Source, sink: Sink): Promise<string> {
  const { inboundUrl } = await hookTo(stack, `${sink.hello.url}/latency`);
  const rows: string[][] = [];
  for (const perSecond of [50, 200]) {
    const request = { urls: [inboundUrl], count: perSecond * seconds, callers: publishers, perSecond };
    const { p50Ms, p99Ms } = await run(source, sink, request);
    rows.push([`${perSecond} events/s`, `${p50Ms} ms`, `${p99Ms} ms`]);
  }
  return table(['from the call to the arrival', 'p50', 'p99'], rows);
}

/** Twenty destinations of one origin, without and with one that answers after 10 s. */
async function hung(stack: DevStack, source: Source, sink: Sink): Promise<string> {
  const healthy: string[] = [];
  for (let at = 1; at < DESTINATIONS; at += 1)
    healthy.push((await hookTo(stack, `${sink.hello.url}/healthy/${at}`)).inboundUrl);
  const usual = (await hookTo(stack, `${sink.hello.url}/healthy/0`)).inboundUrl;
  const hanging = (await hookTo(stack, `${sink.hello.url}/hang`)).inboundUrl;
  const rows: string[][] = [];
  for (const each of [10, 25]) {
    const perSecond = each * DESTINATIONS;
    const count = perSecond * seconds;
    const request = { count, callers: publishers, perSecond };
    const base = await run(source, sink, { ...request, urls: [usual, ...healthy] });
    const expected = (count / DESTINATIONS) * (DESTINATIONS - 1);
    const beside = await run(source, sink, { ...request, urls: [hanging, ...healthy] }, expected);
    const ratio = (beside.p99Ms / base.p99Ms).toFixed(1);
    rows.push([`${each} events/s each`, `${base.p99Ms} ms`, `${beside.p99Ms} ms`, `${ratio} ×`]);
  }
  return table(['one of 20 destinations hangs for 10 s', 'p99 without', 'p99 of the others', ''], rows);
}

/** Twenty destinations, without and with another account's burst of events for many destinations that answer after 10 s. */
async function manyHung(stack: DevStack, source: Source, sink: Sink): Promise<string> {
  const urlsOf = async (account: OfAccount, path: string, count: number): Promise<string[]> => {
    const urls: string[] = [];
    for (let at = 0; at < count; at += 1)
      urls.push((await hookTo(account, `${sink.hello.url}/${path}/${at}`)).inboundUrl);
    return urls;
  };
  const other = { baseUrl: stack.baseUrl, account: stack.otherAccount };
  const healthy = await urlsOf(stack, 'many-healthy', DESTINATIONS);
  const hanging = await urlsOf(other, 'hang', hungDestinations);
  const perSecond = 10 * DESTINATIONS;
  const request = { urls: healthy, count: perSecond * seconds, callers: publishers, perSecond };
  const base = await run(source, sink, request);
  const burst = { urls: hanging, count: hungDestinations * EVENTS_OF_HUNG, callers: publishers };
  await source.request(burst);
  const beside = await run(source, sink, request);
  const row = (name: string, { p50Ms, p99Ms, maxMs }: typeof base): string[] => [
    name,
    ...[p50Ms, p99Ms, maxMs].map((ms) => `${ms} ms`),
  ];
  return table(
    [`${hungDestinations} destinations of another account hang`, 'p50 of the others', 'p99', 'most'],
    [row('without', base), row('with', beside)],
  );
}

/** Duration of a check for due attempts and of a claim, with two sizes of a destination's backlog; on its own database. */
async function claims(stack: DevStack): Promise<string> {
  const rows: string[][] = [];
  for (const size of [SMALL_BACKLOG, backlog]) {
    const ledger = await openTestLedger(stack.mongodbUri);
    try {
      const { accountId, id } = await ledger.destination();
      for (let stored = 0; stored < size; stored += SMALL_BACKLOG)
        await ledger.storeUnclaimed(ledger.events(Math.min(SMALL_BACKLOG, size - stored), accountId, [id]));
      const times: number[] = [];
      for (let claim = 0; claim < CLAIMS; claim += 1) {
        const startedAt = performance.now();
        const now = ledger.clock.now();
        const until = new Date(now.getTime() + 30_000);
        await ledger.deliveries.dueQueues(now);
        const claimed = await ledger.deliveries.claim(
          { destinationId: id, queue: 0 },
          { now, until, by: 'bench', limit: 8 },
        );
        times.push(performance.now() - startedAt);
        await ledger.deliveries.release(claimed);
      }
      rows.push([`${size} due attempts`, `${median(times).toFixed(2)} ms`]);
    } finally {
      await ledger.close();
    }
  }
  return table(['a look and a claim of 8', 'median'], rows);
}

/** Lateness of retries that are due within the next seconds; their due time is in the event. */
async function punctuality(stack: DevStack, sink: Sink): Promise<string> {
  const { destinationId } = await hookTo(stack, `${sink.hello.url}/retries`);
  const mongo = await MongoClient.connect(stack.mongodbUri);
  try {
    const database = mongo.db('fairlead_delivery');
    const store = { collection: ({ name }: { name: string }) => database.collection(name) };
    const startMs = Date.now() + 3_000;
    for (let retry = 0; retry < retries; retry += 1) {
      const dueAt = new Date(startMs + (retry * 10_000) / retries);
      // The store's collections are those of the database with the same name.
      await storeEvent(store as Parameters<typeof storeEvent>[0], {
        accountId: stack.account.accountId,
        capturedAt: new Date(),
        payload: JSON.stringify({ sentAtMs: dueAt.getTime() }),
        states: { [destinationId]: 'pending' },
        ladder: 1,
        open: { queue: 1, at: dueAt, dueAt },
      });
    }
    const { arrived, p50Ms, p99Ms, maxMs } = await sink.request({ count: retries, limitMs: LIMIT_MS });
    return table(
      ['retries', 'arrived', 'late p50', 'p99', 'most'],
      [[String(retries), String(arrived), ...[p50Ms, p99Ms, maxMs].map((ms) => `${ms} ms`)]],
    );
  } finally {
    await mongo.close();
  }
}

const stops: (() => Promise<void>)[] = [];
try {
  const { stack, stop } = await startStack();
  stops.push(stop);
  const budgets = { hookPerSecond: 1_000_000 };
  for (const account of [stack.account, stack.otherAccount])
    await post({ baseUrl: stack.baseUrl, account }, '/admin/v1/account', { budgets }, 'PATCH');
  const start: StartScript = async (script, ...args) => {
    const child = await startChild(script, { args });
    stops.push(() => child.stop());
    return child;
  };
  const [source, sink] = [await start('event-source'), await start('event-sink')];
  const measurements = {
    throughput: () => throughput(stack, source, sink),
    baselines: () => baselines(stack, start),
    latencies: () => latencies(stack, source, sink),
    hung: () => hung(stack, source, sink),
    claims: () => claims(stack),
    punctuality: () => punctuality(stack, sink),
    'many-hung': () => manyHung(stack, source, sink),
  };
  for (const [name, measure] of Object.entries(measurements))
    if (values.only === undefined || values.only === name) console.log(`${await measure()}\n`);
} finally {
  for (const stop of stops.toReversed()) await stop();
}
