// `npm run bench -- fairness`: starts its own stack and measures how executions at a vendor that never answers affect others: 2 000 at once
// of one account affect another account and the processes; 200 at once of one connection affect another connection of the account.
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { processOf } from '../faults/support/processes.ts';
import type { DevStack } from '../setup/dev-stack.ts';
import { givenOrStartedStack } from '../setup/start-stack.ts';
import { startChild } from './child.ts';
import { closedLoop } from './closed-loop.ts';
import type { LoopResult } from './closed-loop.ts';
import type { FloodCall } from './requests.ts';
import { median } from './statistics.ts';
import { table } from './table.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '10' },
    calls: { type: 'string', default: '2000' },
    connections: { type: 'string', default: '10' },
    'calls-of-one': { type: 'string', default: '200' },
  },
});
const durationMs = Number(values.seconds) * 1_000;

const SERVICES = ['gateway', 'tools', 'connections'] as const;
/** Interval of samples: counting thousands of sockets takes tens of milliseconds of the measuring process. */
const LOOK_MS = 1_000;
/** A round has ended when its sockets are closed, except kept-alive ones: MongoDB's pool has up to 100. */
const KEPT_ALIVE = 150;
const SETTLING_LOOKS = 60;

type Use = Readonly<
  Record<(typeof SERVICES)[number], { readonly sockets: number; readonly megabytes: number }>
>;

/** Open sockets and resident memory of the processes (proc(5)). */
function use(stack: DevStack): Use {
  const of = (name: string): Use['gateway'] => {
    const id = processOf(stack, `services/${name}/src/main.ts`);
    const folder = `/proc/${id}/fd`;
    const sockets = readdirSync(folder).filter((fd) => isSocket(`${folder}/${fd}`)).length;
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? '0';
    return { sockets, megabytes: Math.round(Number(kilobytes) / 1_000) };
  };
  return { gateway: of('gateway'), tools: of('tools'), connections: of('connections') };
}

function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith('socket:');
  } catch {
    // Closed since it was listed.
    return false;
  }
}

/** The maximum use while `work` runs. */
async function peakOf<T>(stack: DevStack, work: () => Promise<T>): Promise<readonly [T, Use]> {
  let peak = use(stack);
  const over = new AbortController();
  const watch = async (): Promise<void> => {
    for (; !over.signal.aborted; await delay(LOOK_MS)) {
      const now = use(stack);
      const larger = (name: (typeof SERVICES)[number]): Use['gateway'] => ({
        sockets: Math.max(peak[name].sockets, now[name].sockets),
        megabytes: Math.max(peak[name].megabytes, now[name].megabytes),
      });
      peak = { gateway: larger('gateway'), tools: larger('tools'), connections: larger('connections') };
    }
  };
  const watching = watch();
  const result = await work().finally(() => over.abort());
  await watching;
  return [result, peak];
}

async function untilSettled(stack: DevStack, before: Use): Promise<Use> {
  for (let look = 0; look < SETTLING_LOOKS; look += 1) {
    const now = use(stack);
    if (SERVICES.every((name) => now[name].sockets <= before[name].sockets + KEPT_ALIVE)) return now;
    await delay(LOOK_MS);
  }
  throw new Error(
    `Sockets of a round are still open a minute after its end: ${JSON.stringify(use(stack))} ${JSON.stringify(before)}`,
  );
}

async function call(stack: DevStack, apiKey: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(new URL(path, stack.baseUrl), {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}

async function createConnection(stack: DevStack, apiKey: string, body: object): Promise<number> {
  // The contract defines this member.
  const { id } = (await call(stack, apiKey, '/v1/connections', body)) as { readonly id: number };
  return id;
}

function shown({ p50Ms, p99Ms, failures }: LoopResult): string[] {
  return [p50Ms.toFixed(1), p99Ms.toFixed(1), String(failures)];
}

function usesTable(states: readonly Use[]): string {
  return table(
    ['process', 'sockets', 'peak', 'after', 'MB', 'peak', 'after'],
    SERVICES.map((name) => [
      name,
      ...states.map((state) => String(state[name].sockets)),
      ...states.map((state) => String(state[name].megabytes)),
    ]),
  );
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('It was not measured.');
  return value;
}

/** Calls at a silent vendor, and the calls measured beside them, by name. */
interface Flood {
  readonly name: string;
  readonly calls: readonly FloodCall[];
  readonly beside: ReadonlyMap<string, () => Promise<unknown>>;
}

const { stack, stop } = await givenOrStartedStack();
const noisy = stack.account.apiKey;
const quiet = stack.otherAccount.apiKey;

function createSilent(count: number): Promise<readonly number[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) =>
      createConnection(stack, noisy, {
        applicationSlug: 'http',
        connectionName: `Silent ${index}`,
        fields: {},
      }),
    ),
  );
}

/** A call of the sandbox over a new connection of the account. */
async function execution(apiKey: string): Promise<() => Promise<unknown>> {
  const id = await createConnection(stack, apiKey, {
    applicationSlug: 'sandbox-crm',
    connectionName: 'CRM',
    authenticationId: 1,
    fields: { apiToken: stack.sandboxCrm.apiKey },
  });
  return () => call(stack, apiKey, `/v1/tools/sandbox-crm-whoami/execute?connectionId=${id}`, {});
}

function callsAt(vendorUrl: string, count: number, connectionIds: readonly number[]): readonly FloodCall[] {
  return Array.from({ length: count }, (_, index) => ({
    url: `${stack.baseUrl}/v1/tools/http-send-request/execute?connectionId=${connectionIds[index % connectionIds.length]}`,
    headers: { 'x-api-key': noisy, 'content-type': 'application/json' },
    body: JSON.stringify({ fields: { url: vendorUrl } }),
  }));
}

async function latencies({ beside }: Flood): Promise<ReadonlyMap<string, LoopResult>> {
  const measured = [...beside].map(
    async ([name, work]) => [name, await closedLoop([work], durationMs)] as const,
  );
  return new Map(await Promise.all(measured));
}

try {
  const child = await startChild('flood', { args: [] });
  const { vendorUrl } = child.hello;
  const ofMany = await createSilent(Number(values.connections));
  const ofOne = await createSilent(1);
  const floods: readonly Flood[] = [
    {
      name: `${values.calls} calls of ${values.connections} connections`,
      calls: callsAt(vendorUrl, Number(values.calls), ofMany),
      beside: new Map([
        ['another account: whoami', () => call(stack, quiet, '/v1/auth/whoami')],
        ['another account: execution', await execution(quiet)],
      ]),
    },
    {
      name: `${values['calls-of-one']} calls of one connection`,
      calls: callsAt(vendorUrl, Number(values['calls-of-one']), ofOne),
      beside: new Map([['another connection of the account: execution', await execution(noisy)]]),
    },
  ];

  const ratios = new Map<string, number[]>();
  for (const flood of floods) await latencies(flood);
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    for (const flood of floods) {
      const before = use(stack);
      const [alone] = await peakOf(stack, () => latencies(flood));
      await child.request({ kind: 'start', calls: flood.calls });
      const [during, peak] = await peakOf(stack, () => latencies(flood));
      const { statuses, atVendor } = await child.request({ kind: 'end' });
      const after = await untilSettled(stack, before);
      const lines = [...during].map(([name, beside]) => {
        const baseline = required(alone.get(name));
        ratios.set(name, [...(ratios.get(name) ?? []), beside.p99Ms / baseline.p99Ms]);
        return [name, ...shown(baseline), ...shown(beside)];
      });
      console.log(
        `\nRound ${round}, ${flood.name}: answers so far ${JSON.stringify(statuses)}, ${atVendor} connections at the vendor`,
      );
      console.log(
        table(['beside it', 'p50 ms', 'p99 ms', 'failed', 'p50 beside', 'p99 beside', 'failed'], lines),
      );
      console.log(usesTable([before, peak, after]));
    }
  }
  console.log(`\np99 beside the calls / alone, median of ${values.rounds} rounds (must be below 2):`);
  for (const [name, each] of ratios) console.log(`  ${name} ${median(each).toFixed(2)}`);
  await child.stop();
} finally {
  await stop();
}
