import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { CallOptions, ToolOutcome } from '@fairlead/connector-runtime/call';
import { createConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import {
  testCall,
  testConnector,
  testCredential,
  testEgress,
  testMethod,
  testOptions,
  testTool,
} from '@fairlead/connector-runtime/testing/calls';
import { PATIENT_LIMITS } from '@fairlead/connector-runtime/testing/worker-runtime';
import { createHandlerWorkers } from '@fairlead/connector-runtime/workers/handler-workers';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { startPostgres } from '@fairlead/local-stores/postgres';
import type { RunningPostgres } from '@fairlead/local-stores/postgres';
import { createConnectorHandlers, workerEntry } from '../handlers.ts';

const WAIT = { timeout: 90_000 };
const egress = testEgress();
const workers = createHandlerWorkers({
  entry: workerEntry,
  allow: ['127.0.0.0/8'],
  log: createLogger({ service: 'test', level: 'silent' }),
  limits: PATIENT_LIMITS,
});
const runtime = createConnectorRuntime({ egress, handlers: createConnectorHandlers(workers) });

let directory: string;
let postgres: RunningPostgres;
let watcher: Client;
let fields: JsonObject;
let connectionId = 0;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-sessions-'));
  postgres = await startPostgres({ dataDirectory: directory });
  const { port, user, password, database } = postgres;
  fields = { host: '127.0.0.1', port, user, password, database, sslMode: 'disable' };
  watcher = new Client({ host: '127.0.0.1', port, user, password, database });
  await watcher.connect();
});

afterAll(async () => {
  await watcher.end();
  await Promise.all([egress.close(), workers.close()]);
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
});

// A connection for one test, so that it has sessions of its own.
beforeEach(() => {
  connectionId += 1;
});

interface Parts {
  readonly version?: number;
  readonly fields?: JsonObject;
  readonly options?: Partial<CallOptions>;
}

function call(handler: string, sql: string, parts: Parts = {}): Promise<ToolOutcome> {
  const credential = testCredential({ ...fields, ...parts.fields }, { version: parts.version ?? 1 });
  return runtime.execute(
    testCall(testTool({ type: 'handler', handler }), {
      connector: testConnector({ slug: 'postgresql', name: 'PostgreSQL' }),
      method: testMethod({ type: 'custom' }),
      credential,
      fields: { sql },
    }),
    testOptions({ connectionId, timeoutMs: 60_000, ...parts.options }),
  );
}

async function row(outcome: Promise<ToolOutcome>): Promise<JsonObject> {
  const ended = await outcome;
  if (!ended.isSuccess) throw new Error(ended.errorMessage);
  const [first] = ended.output['items'] as readonly JsonObject[];
  return first ?? {};
}

const pid = async (parts?: Parts): Promise<number> =>
  Number((await row(call('runQuery', 'SELECT pg_backend_pid() AS pid', parts)))['pid']);
const isAlive = async (backend: number): Promise<boolean> =>
  (await watcher.query('SELECT FROM pg_stat_activity WHERE pid = $1', [backend])).rowCount === 1;

it('calls of a connection use one session, other connections and calls without one have their own', async () => {
  const first = await pid();
  expect(await pid()).toBe(first);
  expect((await row(call('executeStatement', 'SELECT pg_backend_pid() AS pid')))['pid']).toBe(first);
  const others = [
    await pid({ options: { connectionId: 1_000 } }),
    await pid({ options: { accountId: 'b' } }),
  ];
  expect(new Set([first, ...others]).size).toBe(3);
});

it('a call that may not be sent once its session is open executes nothing', async () => {
  const backends = async (): Promise<readonly number[]> => {
    const all = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'";
    return (await watcher.query<{ readonly pid: number }>(all)).rows.map((it) => it.pid);
  };
  const before = await backends();
  let opened: number | undefined;
  const beforeSend = async (): Promise<void> => {
    opened = (await backends()).find((it) => !before.includes(it));
    if (opened !== undefined) throw new Error('revoked');
  };
  const outcome = await call('executeStatement', 'CREATE TABLE withdrawn ()', { options: { beforeSend } });
  expect(outcome).toMatchObject({ isSuccess: false, isWithdrawn: true });
  const { rows } = await watcher.query("SELECT to_regclass('withdrawn') AS made");
  expect(rows).toEqual([{ made: null }]);
  // Closed, because a kept session would leave no room for those of other tests.
  expect(await pid()).toBe(opened);
  await watcher.query('SELECT pg_terminate_backend($1)', [opened]);
});

it('nothing that a call leaves in its session meets the next one', async () => {
  const first = await pid();
  for (const sql of [
    'CREATE TEMP TABLE left_behind AS SELECT 1',
    "SELECT set_config('work_mem', '77MB', false), set_config('app.tenant', 'x', false)",
    'LISTEN gossip',
    'PREPARE p AS SELECT 1',
    'SELECT pg_advisory_lock(42)',
    'DECLARE c CURSOR WITH HOLD FOR SELECT 1',
    'SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY',
  ])
    expect(await call('executeStatement', sql), sql).toMatchObject({ isSuccess: true });
  // Ends the call's transaction, begins another one and leaves it open.
  await call('executeStatement', 'COMMIT AND CHAIN');
  expect(
    await row(
      call(
        'executeStatement',
        `SELECT pg_backend_pid() AS pid, to_regclass('left_behind') AS temp,
                current_setting('work_mem') = '77MB' AS "isSet", coalesce(current_setting('app.tenant', true), '') AS tenant,
                (SELECT count(*)::int FROM pg_listening_channels()) AS channels,
                (SELECT count(*)::int FROM pg_prepared_statements) AS statements,
                (SELECT count(*)::int FROM pg_cursors WHERE name = 'c') AS cursors,
                (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory') AS locks,
                current_setting('transaction_read_only') AS readonly`,
      ),
    ),
  ).toEqual({
    pid: first,
    temp: null,
    isSet: false,
    tenant: '',
    channels: 0,
    statements: 0,
    cursors: 0,
    locks: 0,
    readonly: 'off',
  });
  await vi.waitFor(async () => {
    const { rows } = await watcher.query('SELECT state FROM pg_stat_activity WHERE pid = $1', [first]);
    expect(rows).toEqual([{ state: 'idle' }]);
  }, WAIT);
});

it('a connection has five sessions at most, and the calls above wait', async () => {
  await watcher.query('SELECT pg_advisory_lock(7)');
  const calls = Array.from({ length: 12 }, () =>
    call('runQuery', 'SELECT pg_backend_pid() AS pid, pg_advisory_lock_shared(7)::text'),
  );
  const waiting = async (): Promise<number> => {
    const text =
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE query LIKE '%lock_shared(7)%' AND state = 'active' AND pid <> pg_backend_pid()";
    const { rows } = await watcher.query<{ n: number }>(text);
    return rows[0]?.n ?? 0;
  };
  await vi.waitFor(async () => expect(await waiting()).toBe(5), WAIT);
  await watcher.query('SELECT pg_advisory_unlock(7)');
  const pids = await Promise.all(calls.map(async (each) => (await row(each))['pid']));
  expect(pids).toHaveLength(12);
  expect(new Set(pids).size).toBe(5);
});

it('changed credentials and settings never meet an old session, which is closed', async () => {
  const first = await pid();
  const second = await pid({ version: 2 });
  expect(second).not.toBe(first);
  await vi.waitFor(async () => expect(await isAlive(first)).toBe(false), WAIT);
  expect(await call('runQuery', 'SELECT 1', { version: 2, fields: { password: 'wrong' } })).toMatchObject({
    isSuccess: false,
    isUnauthorized: true,
  });
  await vi.waitFor(async () => expect(await isAlive(second)).toBe(false), WAIT);
});

it('a call that ran out of time takes its session with it', async () => {
  const first = await pid();
  const stop = new AbortController();
  const slow = call('runQuery', 'SELECT pg_sleep(60)', { options: { signal: stop.signal } });
  await vi.waitFor(async () => {
    const { rows } = await watcher.query('SELECT state FROM pg_stat_activity WHERE pid = $1', [first]);
    expect(rows).toEqual([{ state: 'active' }]);
  }, WAIT);
  stop.abort();
  expect(await slow).toMatchObject({ isSuccess: false });
  expect(await pid()).not.toBe(first);
});

it('a session that the server ended is replaced, also for a statement that changes data', async () => {
  await watcher.query('CREATE TABLE changes (id int)');
  const first = await pid();
  await watcher.query('SELECT pg_terminate_backend($1)', [first]);
  expect(await call('executeStatement', 'INSERT INTO changes VALUES (1)')).toMatchObject({ isSuccess: true });
  const { rows } = await watcher.query('SELECT count(*)::int AS n FROM changes');
  expect(rows).toEqual([{ n: 1 }]);
});

it('a statement that may have had effects never runs again, and a query does', async () => {
  await watcher.query('CREATE SEQUENCE runs');
  await pid();
  const sql = `SELECT nextval('runs'), pg_terminate_backend(pg_backend_pid())`;
  expect(await call('executeStatement', sql)).toMatchObject({ isSuccess: false });
  expect((await watcher.query('SELECT last_value::int AS n, is_called FROM runs')).rows).toEqual([
    { n: 1, is_called: true },
  ]);
  const first = await pid();
  const once = `SELECT pg_backend_pid() AS pid, CASE WHEN pg_backend_pid() = ${first} THEN pg_terminate_backend(${first}) END`;
  expect((await row(call('runQuery', once)))['pid']).not.toBe(first);
});

it('a session on a network that drops its packets is replaced within the call', async () => {
  const open: Socket[] = [];
  const proxy = createServer((socket) => {
    open.push(socket);
    const onward = connect(Number(fields['port']), '127.0.0.1');
    socket.pipe(onward).pipe(socket);
    for (const end of [socket, onward]) end.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const parts = { fields: { port: (proxy.address() as AddressInfo).port } };
  const first = await pid(parts);
  for (const socket of open) socket.unpipe().pause();
  expect(await pid(parts)).not.toBe(first);
  for (const socket of open) socket.destroy();
  proxy.close();
});

it('kill -9 of the worker fails its calls, and the next one has a new session', async () => {
  const first = await pid();
  const lost = call('runQuery', 'SELECT pg_sleep(60)');
  await vi.waitFor(async () => {
    const { rows } = await watcher.query('SELECT state FROM pg_stat_activity WHERE pid = $1', [first]);
    expect(rows).toEqual([{ state: 'active' }]);
  }, WAIT);
  for (const worker of await workerPids()) process.kill(worker, 'SIGKILL');
  expect(await lost).toMatchObject({
    isSuccess: false,
    errorMessage: 'The process that made the call ended. Its outcome is not known.',
  });
  expect(await pid()).not.toBe(first);
});

/** The worker processes of this process. */
async function workerPids(): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const [stat, command] = await Promise.all([
      readFile(`/proc/${name}/stat`, 'utf8').catch(() => ''),
      readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => ''),
    ]);
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    if (parent === process.pid && command.includes('worker.ts')) found.push(Number(name));
  }
  return found;
}
