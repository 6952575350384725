// `npm run bench -- mcp-sessions`: memory of the gateway, mcp and tools after each thousand sessions that MCP clients begin, use once and
// never end (PSS after a garbage collection, once stable). Each session declares capabilities, calls a tool of another MCP server and sets
// a log level. Heaps grow to their working size in the warm-up, so that later figures are those of sessions. Goal: at most 2 kB per
// session, the usual variation of heaps; exits with 1 otherwise.
import { parseArgs } from 'node:util';
import { startSuiteServer } from '../conformance/suite/server.ts';
import { processesOf } from '../faults/support/processes.ts';
import { collectGarbage } from '../hostile/support/collect-garbage.ts';
import { startStack } from '../setup/start-stack.ts';
import { callerOf, createAccount } from './accounts.ts';
import { settledBytes } from './settled-memory.ts';
import { table } from './table.ts';

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '5000' },
    step: { type: 'string', default: '1000' },
    'warm-up': { type: 'string', default: '2000' },
  },
});
const [sessions, step, warmUp] = [Number(values.sessions), Number(values.step), Number(values['warm-up'])];
const PROGRAMS = ['gateway', 'mcp', 'tools'] as const;
const AT_ONCE = 8;
const GOAL_BYTES = 2_000;
const CAPABILITIES = { elicitation: { form: {} }, sampling: {}, roots: {} };

const { stack, stop } = await startStack();
const upstream = await startSuiteServer();
try {
  const account = await createAccount(stack);
  const call = callerOf(stack, account);
  const { id } = await call('POST', '/v1/connections', {
    applicationSlug: 'mcp',
    connectionName: 'Sessions',
    authenticationId: 0,
    fields: { serverUrl: upstream.url },
  });
  const made = await call('POST', '/admin/v1/mcpservers', {
    name: 'Sessions',
    connections: [{ connectionId: id }],
  });
  const url = String(made['url']).replace(/\/sse$/, '/mcp');

  const post = async (message: object, session: Record<string, string> = {}): Promise<Response> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'x-api-key': account.apiKey,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...session,
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
    const text = await response.text();
    if (!response.ok || text.includes('"error"')) throw new Error(`${response.status} ${text}`);
    return response;
  };
  const useSession = async (): Promise<void> => {
    const clientInfo = { name: 'bench', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: CAPABILITIES, clientInfo };
    const begun = await post({ id: 1, method: 'initialize', params });
    const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
    await post({ method: 'notifications/initialized' }, session);
    await post({ id: 2, method: 'logging/setLevel', params: { level: 'debug' } }, session);
    await post({ id: 3, method: 'tools/call', params: { name: 'test_simple_text', arguments: {} } }, session);
  };
  const startSessions = async (count: number): Promise<void> => {
    let left = count;
    const one = async (): Promise<void> => {
      for (; left > 0;) {
        left -= 1;
        await useSession();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
  };
  const memory = async (): Promise<readonly number[]> => {
    const processes = PROGRAMS.map((name) => processesOf(stack, `services/${name}/src/main.ts`));
    // Only one process at a time can use the inspector's port.
    for (const id of processes.flat()) await collectGarbage(id);
    return Promise.all(processes.map(settledBytes));
  };
  const row = (begun: number, bytes: readonly number[]): readonly string[] => [
    String(begun),
    ...bytes.map((each) => (each / 1_000_000).toFixed(1)),
  ];
  await startSessions(warmUp);
  const before = await memory();
  let after = before;
  const rows = [row(warmUp, before)];
  for (let count = step; count <= sessions; count += step) {
    await startSessions(step);
    after = await memory();
    rows.push(row(warmUp + count, after));
  }
  const growth = after.map((bytes, at) => (bytes - (before[at] ?? 0)) / sessions);
  rows.push(['kB a session', ...growth.map((bytes) => (bytes / 1_000).toFixed(1))]);
  if (growth.some((bytes) => bytes > GOAL_BYTES)) process.exitCode = 1;
  process.stdout.write(
    `${table(['sessions', ...PROGRAMS.map((name) => `${name} MB`)], rows)}\n${process.exitCode === 1 ? 'It grows.' : 'It does not grow.'}\n`,
  );
} finally {
  await upstream.close();
  await stop();
}
