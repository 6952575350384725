// `npm run bench -- agents`: starts its own stack and measures the latency of a PostgreSQL query through an on-prem agent, with one caller,
// beside the same query over a connection without an agent. Call and poll use the same replica of agents, then different ones: each path
// has its own gateway and tools process, which know one replica. Goal: at most three times as long; exits with 1 otherwise.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort } from '@fairlead/local-stores/ports';
import { allOf, environmentOf, processOf, untilServing } from '../faults/support/processes.ts';
import type { DevStack } from '../setup/dev-stack.ts';
import { startStack } from '../setup/start-stack.ts';
import { callerOf } from './accounts.ts';
import type { Call } from './accounts.ts';
import { startChild } from './child.ts';
import type { LoopResult } from './closed-loop.ts';
import { cpuMicros } from './measure.ts';
import { startProgram } from './own-process.ts';
import type { OwnProcess } from './own-process.ts';
import { median } from './statistics.ts';
import type { Request } from './step-costs.ts';
import { table } from './table.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    callers: { type: 'string', default: '1' },
    warm: { type: 'string', default: '1500' },
  },
});
const rounds = Number(values.rounds);
const load = { callers: Number(values.callers), durationMs: Number(values.seconds) * 1_000 };
const warmCalls = Number(values.warm);

const AGENTS = 'services/agents/src/main.ts';
const TOOLS = 'services/tools/src/main.ts';
const GATEWAY = 'services/gateway/src/main.ts';
const GOAL = 3;
const POLL_MS = 50;
const QUERY = { sql: 'SELECT 1 AS one' };
const STEPS = ['without an agent', 'agent, same replica', 'agent, different replicas'] as const;
type Step = (typeof STEPS)[number];

const stops: (() => Promise<void>)[] = [];
function own(process: OwnProcess): OwnProcess {
  stops.push(() => process.stop());
  return process;
}

try {
  const { stack, stop } = await startStack({ args: ['--replicas', 'agents=2'] });
  stops.push(stop);
  const [here, there] = await allOf(stack, AGENTS);
  if (here === undefined || there === undefined) throw new Error('Two replicas of agents must run.');
  // The agent polls replica `here`, because its gateway knows no other.
  const same = await startWay(stack, { polls: here, calls: here });
  const different = await startWay(stack, { polls: here, calls: there });
  const call = callerOf(stack, stack.account);
  const direct = await connectDirectly(stack, call);
  const { id, agent } = await startAgent(stack, call, same);
  const query = (baseUrl: string, tool: string, connectionId: unknown, fields: object): Request => ({
    url: `${baseUrl}/v1/tools/${tool}/execute?connectionId=${String(connectionId)}`,
    headers: { 'x-api-key': stack.account.apiKey },
    body: JSON.stringify({ fields }),
  });
  const through = { ...QUERY, profile: 'bench' };
  await measure(
    {
      'without an agent': query(same, 'postgresql-run-query', direct, QUERY),
      'agent, same replica': query(same, 'onprem-database-query', id, through),
      'agent, different replicas': query(different, 'onprem-database-query', id, through),
    },
    agent,
  );
} finally {
  for (const stop of stops.toReversed()) await stop();
}

/** Starts a gateway and a tools process that each know one replica of agents; returns the gateway's address. */
async function startWay(
  stack: DevStack,
  { polls, calls }: { readonly polls: number; readonly calls: number },
): Promise<string> {
  const isGrpc = environmentOf(calls)['RPC_TRANSPORT'] === 'grpc';
  const rpcPort = isGrpc ? 'GRPC_PORT' : 'PORT';
  const loopback = (port: number | string | undefined): string => `http://127.0.0.1:${port}`;
  const [toolsPort, toolsGrpcPort, port] = [await freePort(), await freePort(), await freePort()];
  const tools = own(
    startProgram([TOOLS], {
      ...environmentOf(processOf(stack, TOOLS)),
      PORT: String(toolsPort),
      GRPC_PORT: String(toolsGrpcPort),
      ADMIN_PORT: '0',
      AGENTS_URL: loopback(environmentOf(calls)[rpcPort]),
    }),
  );
  await untilServing(tools.pid);
  own(
    startProgram([GATEWAY], {
      ...environmentOf(processOf(stack, GATEWAY)),
      PORT: String(port),
      ADMIN_PORT: '0',
      RPC_PORT: '0',
      GRPC_PORT: '0',
      TOOLS_URL: loopback(isGrpc ? toolsGrpcPort : toolsPort),
      AGENTS_CHANNEL_URL: loopback(environmentOf(polls)['PORT']),
    }),
  );
  const isReady = (): Promise<boolean> =>
    fetch(`${loopback(port)}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) await delay(POLL_MS);
  return loopback(port);
}

function databaseOf({ samples }: DevStack) {
  const url = new URL(samples.postgresUrl);
  return {
    host: url.hostname,
    port: Number(url.port),
    database: url.pathname.slice(1),
    user: url.username,
    password: decodeURIComponent(url.password),
  };
}

async function connectDirectly(stack: DevStack, call: Call): Promise<unknown> {
  const { id } = await call('POST', '/v1/connections', {
    applicationSlug: 'postgresql',
    connectionName: 'Bench',
    authenticationId: 0,
    fields: databaseOf(stack),
  });
  return id;
}

/** Starts an agent with a profile for the database, and resolves once it is online. */
async function startAgent(stack: DevStack, call: Call, url: string) {
  const { id, token } = await call('POST', '/v1/on-prem-agents', {
    applicationSlug: 'onprem-database',
    name: 'Bench',
  });
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-bench-'));
  stops.push(() => rm(folder, { recursive: true }));
  const [tokenFile, config] = [join(folder, 'token'), join(folder, 'agent.yaml')];
  await writeFile(tokenFile, String(token), { mode: 0o600 });
  // YAML includes JSON.
  const profiles = { bench: { type: 'postgresql', ...databaseOf(stack) } };
  await writeFile(config, JSON.stringify({ profiles }), { mode: 0o600 });
  const args = ['--url', url, '--token-file', tokenFile, '--config', config, '--log-dir', folder];
  const agent = own(startProgram(['packages/agent/src/cli.ts', ...args], { PATH: process.env['PATH'] }));
  const isOnline = async (): Promise<boolean> =>
    (await call('GET', `/v1/on-prem-agents/${String(id)}`))['status'] === 'Online';
  while (!(await isOnline())) await delay(POLL_MS);
  return { id, agent };
}

async function measure(requests: Readonly<Record<Step, Request>>, agent: OwnProcess): Promise<void> {
  const generator = await startChild('load-generator', { args: [] });
  stops.push(() => generator.stop());
  for (const step of STEPS) {
    const { url, headers, body } = requests[step];
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: body ?? '',
    });
    const text = await answer.text();
    if (!text.includes('"isSuccess":true')) throw new Error(`${step}: ${answer.status} ${text}`);
  }
  const run = async (step: Step): Promise<LoopResult & { readonly agentMicros: number }> => {
    const before = cpuMicros(agent.pid);
    const result = await generator.request({ ...requests[step], ...load });
    if (result.failures > 0) throw new Error(`${step}: ${result.failures} calls failed.`);
    return { ...result, agentMicros: (cpuMicros(agent.pid) - before) / result.calls };
  };
  for (const step of STEPS) for (let made = 0; made < warmCalls;) made += (await run(step)).calls;
  const measured = new Map<Step, Awaited<ReturnType<typeof run>>[]>(STEPS.map((step) => [step, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const step of round % 2 === 0 ? STEPS : STEPS.toReversed())
      measured.get(step)?.push(await run(step));
  const of = (step: Step) => measured.get(step) ?? [];
  // Alternating rounds, so that other load on the machine affects both alike.
  const ratio = (step: Step): number =>
    median(of(step).map(({ p50Ms }, at) => p50Ms / (of('without an agent')[at]?.p50Ms ?? p50Ms)));
  const rows = STEPS.map((step) => [
    step,
    median(of(step).map(({ p50Ms }) => p50Ms)).toFixed(2),
    median(of(step).map(({ p99Ms }) => p99Ms)).toFixed(2),
    median(of(step).map(({ perSecond }) => perSecond)).toFixed(0),
    median(of(step).map(({ agentMicros }) => agentMicros)).toFixed(0),
    ratio(step).toFixed(2),
  ]);
  const worst = Math.max(...STEPS.map(ratio));
  const isMet = worst <= GOAL;
  if (!isMet) process.exitCode = 1;
  const title = `a query of PostgreSQL, ${load.callers} at a time`;
  const columns = [title, 'p50 ms', 'p99 ms', 'a second', 'agent CPU µs', 'ratio of p50'];
  const goal = ['goal', '', '', '', '', `at most ${GOAL}: ${isMet ? 'met' : 'missed'}`];
  console.log(table(columns, [...rows, goal]));
}
