// `node tests/bench/fairness.ts`: starts its own stack and measures what 2 000 executions at once of one account, at a vendor
// that never answers, cost another account and the processes.
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
  },
});
const durationMs = Number(values.seconds) * 1_000;

const SERVICES = ['gateway', 'tools', 'connections'] as const;
/** A look at thousands of sockets takes tens of milliseconds of the process that measures. */
const LOOK_MS = 1_000;
/** Everything of a round has ended when its sockets have, apart from those that are kept alive: the pool of MongoDB has up to 100. */
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

/** The largest use while `work` runs. */
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

async function settled(stack: DevStack, before: Use): Promise<Use> {
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
  // The contract names the member.
  const { id } = (await call(stack, apiKey, '/v1/connections', body)) as { readonly id: number };
  return id;
}

const ROUTES = ['whoami', 'execution'] as const;
type Latencies = Readonly<Record<(typeof ROUTES)[number], LoopResult>>;

const { stack, stop } = await givenOrStartedStack();
try {
  const flood = await startChild('flood', { args: [] });
  const noisy = stack.account.apiKey;
  const quiet = stack.otherAccount.apiKey;
  const targets = await Promise.all(
    Array.from({ length: Number(values.connections) }, (_, index) =>
      createConnection(stack, noisy, {
        applicationSlug: 'http',
        connectionName: `Silent ${index}`,
        fields: {},
      }),
    ),
  );
  const crm = await createConnection(stack, quiet, {
    applicationSlug: 'sandbox-crm',
    connectionName: 'CRM',
    authenticationId: 1,
    fields: { apiToken: stack.sandboxCrm.apiKey },
  });
  const calls = Array.from({ length: Number(values.calls) }, (_, index): FloodCall => ({
    url: `${stack.baseUrl}/v1/tools/http-send-request/execute?connectionId=${targets[index % targets.length]}`,
    headers: { 'x-api-key': noisy, 'content-type': 'application/json' },
    body: JSON.stringify({ fields: { url: flood.hello.vendorUrl } }),
  }));
  const latencies = async (): Promise<Latencies> => {
    const execute = `/v1/tools/sandbox-crm-whoami/execute?connectionId=${crm}`;
    const [whoami, execution] = await Promise.all([
      closedLoop([() => call(stack, quiet, '/v1/auth/whoami')], durationMs),
      closedLoop([() => call(stack, quiet, execute, {})], durationMs),
    ]);
    return { whoami, execution };
  };

  const ratios: Record<(typeof ROUTES)[number], number[]> = { whoami: [], execution: [] };
  await latencies();
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    const before = use(stack);
    const [alone] = await peakOf(stack, latencies);
    await flood.request({ kind: 'start', calls });
    const [beside, peak] = await peakOf(stack, latencies);
    const { statuses, atVendor } = await flood.request({ kind: 'end' });
    const after = await settled(stack, before);
    for (const route of ROUTES) ratios[route].push(beside[route].p99Ms / alone[route].p99Ms);
    console.log(
      `\nRound ${round}: answers so far ${JSON.stringify(statuses)}, ${atVendor} connections at the vendor`,
    );
    const shown = ({ p50Ms, p99Ms, failures }: LoopResult): string[] => [
      p50Ms.toFixed(1),
      p99Ms.toFixed(1),
      String(failures),
    ];
    console.log(
      table(
        ['other account', 'p50 ms', 'p99 ms', 'failed', 'p50 beside', 'p99 beside', 'failed'],
        ROUTES.map((route) => [route, ...shown(alone[route]), ...shown(beside[route])]),
      ),
    );
    console.log(
      table(
        ['process', 'sockets', 'peak', 'after', 'MB', 'peak', 'after'],
        SERVICES.map((name) => {
          const states = [before, peak, after].map((state) => state[name]);
          return [
            name,
            ...states.map((it) => String(it.sockets)),
            ...states.map((it) => String(it.megabytes)),
          ];
        }),
      ),
    );
  }
  console.log(`\np99 beside the flood / alone, median of ${values.rounds} rounds (must be below 2):`);
  for (const route of ROUTES) console.log(`  ${route} ${median(ratios[route]).toFixed(2)}`);
  await flood.stop();
} finally {
  await stop();
}
