// `npm run bench -- mcp-streams`: memory of idle streams of MCP clients in the gateway and mcp together, alternating between HTTP+SSE and
// sessions of Streamable HTTP (PSS, once stable; heaps have room for garbage, so a few kilobytes are chance). Some streams are open before
// the first measurement, so that code and pools are loaded. Goal: 40 kB each; exits with 1 otherwise.
import { request } from 'node:http';
import { parseArgs } from 'node:util';
import { processesOf } from '../faults/support/processes.ts';
import type { DevStack } from '../setup/dev-stack.ts';
import { startStack } from '../setup/start-stack.ts';
import { callerOf, createAccount } from './accounts.ts';
import { settledBytes } from './settled-memory.ts';
import { table } from './table.ts';

const { values } = parseArgs({
  options: { streams: { type: 'string', default: '2000' }, first: { type: 'string', default: '400' } },
});
const [streams, first] = [Number(values.streams), Number(values.first)];
/** Below the limit of an account. */
const PER_ACCOUNT = 800;
const PROGRAMS = ['gateway', 'mcp'] as const;
const GOAL_BYTES = 40_000;
const WARM_CALLS = 1_500;

interface Server {
  readonly url: string;
  readonly apiKey: string;
}

async function createServer(stack: DevStack): Promise<Server> {
  const account = await createAccount(stack);
  const { url } = await callerOf(stack, account)('POST', '/admin/v1/mcpservers', { name: 'Bench' });
  return { url: String(url), apiKey: account.apiKey };
}

/** Headers of a new session. */
async function startSession({ url, apiKey }: Server): Promise<Record<string, string>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'x-api-key': apiKey,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'bench', version: '1' },
      },
    }),
  });
  await response.text();
  return { 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' };
}

/** Opens a stream on its own connection and leaves it open. */
function open({ url, apiKey }: Server, headers: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    request(url, { agent: false, headers: { 'x-api-key': apiKey, accept: 'text/event-stream', ...headers } })
      .on('response', (response) => {
        response.resume().on('error', () => undefined);
        if (response.statusCode === 200) resolve();
        else reject(new Error(`A stream was refused with ${response.statusCode ?? 0}.`));
      })
      .on('error', reject)
      .end();
  });
}

const { stack, stop } = await startStack();
try {
  const count = Math.ceil((streams + first) / PER_ACCOUNT);
  const servers = await Promise.all(Array.from({ length: count }, () => createServer(stack)));
  const memory = (): Promise<number[]> =>
    Promise.all(PROGRAMS.map((name) => settledBytes(processesOf(stack, `services/${name}/src/main.ts`))));
  let opened = 0;
  const openMore = async (number: number): Promise<void> => {
    for (const end = opened + number; opened < end; opened += 1) {
      const server = servers[opened % servers.length];
      if (server !== undefined) await open(server, opened % 2 === 0 ? {} : await startSession(server));
    }
  };
  await openMore(first);
  // Warm-up: the heaps grow to their working size.
  for (let calls = 0; calls < WARM_CALLS; calls += 1)
    for (const server of servers) await startSession(server);
  const before = await memory();
  await openMore(streams);
  const after = await memory();
  const each = PROGRAMS.map((_name, at) => ((after[at] ?? 0) - (before[at] ?? 0)) / streams);
  const total = each.reduce((sum, bytes) => sum + bytes, 0);
  const line = (name: string, bytes: number) => [name, (bytes / 1_000).toFixed(1)];
  const rows = [...PROGRAMS.map((name, at) => line(name, each[at] ?? 0)), line('both', total)];
  rows.push(['goal', `at most ${GOAL_BYTES / 1_000}: ${total > GOAL_BYTES ? 'missed' : 'met'}`]);
  if (total > GOAL_BYTES) process.exitCode = 1;
  process.stdout.write(`${table([`${streams} idle streams`, 'kB each'], rows)}\n`);
} finally {
  // The streams belong to this process, so stopping ends them.
  await stop();
}
