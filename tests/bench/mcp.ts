// `npm run bench -- mcp`: starts its own stack and measures a tool call's CPU cost over MCP in all its processes, beside the same execution
// over REST, and the cost of a page of a list of 1 000 tools, beside an express route that sends the same bytes.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepareConnection } from '../faults/support/traffic.ts';
import { openToolServers } from '../hostile/support/tool-servers.ts';
import type { DevStack } from '../setup/dev-stack.ts';
import { startStack } from '../setup/start-stack.ts';
import { startChild } from './child.ts';
import type { Scripts } from './child.ts';
import { cpuMicros } from './measure.ts';
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
    tools: { type: 'string', default: '1000' },
    only: { type: 'string', default: '' },
  },
});
const rounds = Number(values.rounds);
const load = { callers: Number(values.callers), durationMs: Number(values.seconds) * 1_000 };
/** Warm-up: V8 compiles frequently run code. */
const warmCalls = Number(values.warm);

/** A connection has 20 permits (CONNECTION_CONCURRENCY), so the callers share two connections. */
const CONNECTIONS = 2;
const GOALS = { cost: 1.35, perSecond: 0.75, list: 3 };
interface ToolInputs {
  readonly tool: string;
  readonly fields: object;
  /** REST takes it beside `fields`, MCP among the arguments. */
  readonly top?: number;
}
const READS: ToolInputs = { tool: 'sandbox-crm-list-contacts', fields: {}, top: 3 };
const SENDS: ToolInputs = { tool: 'http-send-request', fields: { method: 'POST', url: '/', body: {} } };
/** A tool of an MCP server behind a connection of kind MCPClient. */
const PASSES: ToolInputs = { tool: 'noop', fields: {} };
const STEPS = [
  'REST: a tool that reads',
  'MCP: the same',
  'MCP, with a session',
  'REST: a tool that sends',
  'MCP: the same, sending',
  'REST: a tool behind MCPClient',
  'MCP: the same, behind MCPClient',
] as const;
type Step = (typeof STEPS)[number];
const PAIRS: readonly (readonly [Step, Step])[] = [
  ['MCP: the same', 'REST: a tool that reads'],
  ['MCP, with a session', 'REST: a tool that reads'],
  ['MCP: the same, sending', 'REST: a tool that sends'],
  ['MCP: the same, behind MCPClient', 'REST: a tool behind MCPClient'],
];
/** A tool with a typical description and schema. */
const TOOL = {
  description: 'Creates a record in the workspace. Returns its id and the address of its page. '.repeat(3),
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(
      ['title', 'body', 'assignee', 'project', 'dueDate'].map((name) => [
        name,
        { type: 'string', description: `The ${name} of the record, as people write it.` },
      ]),
    ),
    required: ['title'],
  },
};

const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
};

const stops: (() => Promise<void>)[] = [];
try {
  const vendor = await startChild('lean-vendor', { args: [] });
  stops.push(() => vendor.stop());
  const { url } = vendor.hello;
  const upstream = await startChild('lean-mcp', { args: [] });
  stops.push(() => upstream.stop());
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
  console.log(`${load.callers} callers\n`);
  if (values.only !== 'list')
    await measureCalls(
      stack,
      generators,
      await callsOf(stack, { vendorUrl: url, upstreamUrl: upstream.hello.url }),
    );
  if (values.only !== 'calls') await measureList(stack, generators);
} finally {
  for (const stop of stops.toReversed()) await stop();
}

async function send(stack: DevStack, path: string, body: unknown) {
  const response = await fetch(new URL(path, stack.baseUrl), {
    method: 'POST',
    headers: { ...headersOf(stack), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${path} was answered ${response.status}: ${text}`);
  return { text, session: response.headers.get('mcp-session-id') ?? '' };
}

function headersOf({ account }: DevStack): Readonly<Record<string, string>> {
  return { 'x-api-key': account.apiKey, accept: 'application/json, text/event-stream' };
}

/** Creates a server that serves a connection; returns its address. */
async function serve(stack: DevStack, entry: object): Promise<string> {
  const { text } = await send(stack, '/admin/v1/mcpservers', { name: 'Bench', connections: [entry] });
  const { mcpServerToken } = JSON.parse(text) as { mcpServerToken: string }; // the contract's record
  return `${stack.mcpUrl}/${mcpServerToken}/mcp`;
}

/** Requests of each step, one per connection. */
async function callsOf(
  stack: DevStack,
  { vendorUrl, upstreamUrl }: { readonly vendorUrl: string; readonly upstreamUrl: string },
): Promise<Record<Step, readonly Request[]>> {
  const requests: Record<Step, Request[]> = {
    'REST: a tool that reads': [],
    'MCP: the same': [],
    'MCP, with a session': [],
    'REST: a tool that sends': [],
    'MCP: the same, sending': [],
    'REST: a tool behind MCPClient': [],
    'MCP: the same, behind MCPClient': [],
  };
  const headers = headersOf(stack);
  for (let count = 0; count < CONNECTIONS; count += 1) {
    const ids = {
      reads: await prepareConnection(stack),
      sends: await connectHttp(stack, vendorUrl),
      passes: await connectMcp(stack, upstreamUrl),
    };
    const rest = ({ tool, ...inputs }: ToolInputs, id: number): Request => ({
      url: `${stack.baseUrl}/v1/tools/${tool}/execute?connectionId=${id}`,
      headers,
      body: JSON.stringify(inputs),
    });
    const mcp = async ({ tool, fields, ...others }: ToolInputs, id: number): Promise<Request> => ({
      url: await serve(stack, { connectionId: id, tools: [tool] }),
      headers,
      body: JSON.stringify(rpc('tools/call', { name: tool, arguments: { ...fields, ...others } })),
    });
    const reads = await mcp(READS, ids.reads);
    requests['REST: a tool that reads'].push(rest(READS, ids.reads));
    requests['MCP: the same'].push(reads);
    const begun = await send(stack, reads.url, rpc('initialize', INITIALIZE));
    requests['MCP, with a session'].push({
      ...reads,
      headers: { ...headers, 'mcp-session-id': begun.session },
    });
    requests['REST: a tool that sends'].push(rest(SENDS, ids.sends));
    requests['MCP: the same, sending'].push(await mcp(SENDS, ids.sends));
    requests['REST: a tool behind MCPClient'].push(rest(PASSES, ids.passes));
    requests['MCP: the same, behind MCPClient'].push(await mcp(PASSES, ids.passes));
  }
  for (const step of STEPS) {
    const { url, body = '' } = requests[step][0] ?? { url: '' };
    const { text } = await send(stack, url, JSON.parse(body));
    if (/"isError":true|"error":|"isSuccess":false/.test(text)) throw new Error(`${step} failed: ${text}`);
  }
  return requests;
}

/** Connects the account to an MCP server; returns the connection's id. */
async function connectMcp(stack: DevStack, serverUrl: string): Promise<number> {
  const { text } = await send(stack, '/v1/connections', {
    applicationSlug: 'mcp',
    connectionName: `Bench ${performance.now()}`,
    authenticationId: 0,
    fields: { serverUrl },
  });
  return (JSON.parse(text) as { id: number }).id; // the contract's Connection
}

function rpc(method: string, params: object): object {
  return { jsonrpc: '2.0', id: 1, method, params };
}

async function measureCalls(
  stack: DevStack,
  generators: readonly Scripts['load-generator'][],
  requests: Readonly<Record<Step, readonly Request[]>>,
): Promise<void> {
  const measured = new Map<Step, Round[]>(STEPS.map((step) => [step, []]));
  for (const step of STEPS) await warmUp(generators, requests[step], load, warmCalls);
  for (let round = 0; round < rounds; round += 1)
    for (const step of round % 2 === 0 ? STEPS : STEPS.toReversed())
      measured.get(step)?.push(await measureStep(stack, generators, requests[step], load));

  const figure = (step: Step, of: (round: Round) => number): number =>
    median((measured.get(step) ?? []).map(of));
  const line = (name: string, of: (cost: Cost) => number): readonly string[] => [
    name,
    ...STEPS.map((step) => figure(step, ({ cost }) => of(cost)).toFixed(0)),
  ];
  console.log(
    table(
      ['CPU µs a call', ...STEPS],
      [
        ...PROCESS_NAMES.map((name) => line(name, (cost) => cost[name])),
        line('all', totalOf),
        [
          '± %',
          ...STEPS.map((step) =>
            (100 * noise((measured.get(step) ?? []).map(({ cost }) => totalOf(cost)))).toFixed(0),
          ),
        ],
        ['calls a second', ...STEPS.map((step) => figure(step, (round) => round.perSecond).toFixed(0))],
      ],
    ),
  );
  const ratios = PAIRS.map(([mcp, rest]) => {
    // Alternating rounds, so that other load on the machine affects both alike.
    const ratio = (of: (round: Round) => number): number =>
      median(
        (measured.get(mcp) ?? []).map((round, at) => of(round) / of((measured.get(rest) ?? [])[at] ?? round)),
      );
    return [
      `${mcp} / ${rest}`,
      ratio(({ cost }) => totalOf(cost)).toFixed(2),
      ratio(({ perSecond }) => perSecond).toFixed(2),
    ];
  });
  const goal = ['goal', `at most ${GOALS.cost}`, `at least ${GOALS.perSecond}`];
  console.log(`\n${table(['ratio', 'CPU', 'calls a second'], [...ratios, goal])}\n`);
}

async function measureList(stack: DevStack, generators: readonly Scripts['load-generator'][]): Promise<void> {
  const upstream = openToolServers();
  stops.push(() => upstream.close());
  const tools = Array.from({ length: Number(values.tools) }, (_tool, at) => ({
    name: `create_record_${String(at).padStart(4, '0')}`,
    ...TOOL,
  }));
  const connection = { ...(await upstream.serve(tools)), connectionName: 'Many tools' };
  const { text } = await send(stack, '/v1/connections', connection);
  const { id } = JSON.parse(text) as { id: number }; // the contract's Connection
  const url = await serve(stack, { connectionId: id, tools: null });
  const list: Request = { url, headers: headersOf(stack), body: JSON.stringify(rpc('tools/list', {})) };
  const page = (await send(stack, url, rpc('tools/list', {}))).text;
  const { result } = JSON.parse(page) as { result: { tools: readonly unknown[] } }; // an MCP result

  const folder = await mkdtemp(join(tmpdir(), 'fairlead-bench-'));
  stops.push(() => rm(folder, { recursive: true }));
  const file = join(folder, 'page.json');
  await writeFile(file, page);
  const express = await startChild('express-bytes', { args: [file] });
  stops.push(() => express.stop());
  const bare: Request = { url: express.hello.url, headers: {}, body: list.body ?? '' };

  for (const request of [list, bare]) await warmUp(generators, [request], load, warmCalls);
  const measured: { readonly ours: Round; readonly bare: number }[] = [];
  while (measured.length < rounds) {
    const ours = await measureStep(stack, generators, [list], load);
    const before = cpuMicros(express.pid);
    const { calls } = await measureStep(stack, generators, [bare], load);
    measured.push({ ours, bare: (cpuMicros(express.pid) - before) / calls });
  }
  const of = (figure: (round: (typeof measured)[number]) => number): number => median(measured.map(figure));
  console.log(
    table(
      [`tools/list, a page of ${result.tools.length} of ${tools.length} tools, ${page.length} bytes`, 'µs'],
      [
        ...PROCESS_NAMES.map((name) => [name, of(({ ours }) => ours.cost[name]).toFixed(0)]),
        ['all', of(({ ours }) => totalOf(ours.cost)).toFixed(0)],
        ['express that sends the same bytes', of((round) => round.bare).toFixed(0)],
        ['ratio', of((round) => totalOf(round.ours.cost) / round.bare).toFixed(2)],
        ['goal', `at most ${GOALS.list}`],
      ],
    ),
  );
}
