// `npm run bench -- sessions`: the latency of a read over a PostgreSQL connection for one caller, as the tools service makes it once it has
// connection and credential: `runtime.execute`, which sends the call to the account's worker. A kept session there begins a read-only
// transaction with its settings and runs the query in one round trip, converts the rows to JSON within the limits and, while the answer is
// being sent, rolls back and discards all state in another. RPCs and history rows are not included. The baseline is the same query through
// the driver's own pool: one round trip, without transaction, reset or another process. Goal: a median of at most three times the baseline.
// The second line is the driver's cost of transaction and reset alone.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createConnectorHandlers, workerEntry } from '@fairlead/connectors/handlers';
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
import { createHandlerWorkers } from '@fairlead/connector-runtime/workers/handler-workers';
import { startPostgres } from '@fairlead/local-stores/postgres';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { Pool } from 'pg';
import { closedLoop } from './closed-loop.ts';
import { median } from './statistics.ts';
import { table } from './table.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    rows: { type: 'string', default: '100' },
  },
});
const durationMs = Number(values.seconds) * 1_000;
const sql = `SELECT g AS id, 'customer ' || g AS name, g * 1.5 AS amount FROM generate_series(1, ${Number(values.rows)}) g`;

const directory = await mkdtemp(join(tmpdir(), 'fairlead-bench-'));
const postgres = await startPostgres({ dataDirectory: directory });
const { port, user, password, database } = postgres;
const login = { host: '127.0.0.1', port, user, password, database };
const pool = new Pool({ ...login, max: 5 });
const egress = testEgress();
const workers = createHandlerWorkers({
  entry: workerEntry,
  allow: ['127.0.0.0/8'],
  log: createLogger({ service: 'bench', level: 'error' }),
});
const runtime = createConnectorRuntime({ egress, handlers: createConnectorHandlers(workers) });
const call = testCall(testTool({ type: 'handler', handler: 'runQuery' }), {
  connector: testConnector({ slug: 'postgresql', name: 'PostgreSQL' }),
  method: testMethod({ type: 'custom' }),
  credential: testCredential({ ...login, sslMode: 'disable' }),
  fields: { sql },
});

async function execute(options: { readonly connectionId?: number }): Promise<void> {
  const outcome = await runtime.execute(call, testOptions(options));
  if (!outcome.isSuccess) throw new Error(outcome.errorMessage);
}

/** The server's work for a call in a kept session. */
async function transaction(): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL TimeZone = 'UTC'");
    await client.query(sql);
    await client.query('ROLLBACK');
    await client.query('DISCARD ALL');
  } finally {
    client.release();
  }
}

const subjects = [
  { name: "the driver's pool", read: () => pool.query(sql) },
  { name: 'the driver, in a transaction and with a reset', read: transaction },
  { name: 'a kept session', read: () => execute({ connectionId: 1 }) },
  { name: 'a session of its own for each call', read: () => execute({}) },
] as const;

const medians = new Map<string, number[]>(subjects.map(({ name }) => [name, []]));
for (const { read } of subjects) await read();
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const { name, read } of subjects) {
    const { p50Ms, failures } = await closedLoop([read], durationMs);
    if (failures > 0) throw new Error(`${failures} reads failed: ${name}`);
    medians.get(name)?.push(p50Ms);
  }
}
const driverMs = median(medians.get(subjects[0].name) ?? []);
const rows = [...medians].map(([name, each]) => {
  const p50Ms = median(each);
  return [name, p50Ms.toFixed(3), `${(p50Ms / driverMs).toFixed(1)} x`];
});
process.stdout.write(`${table([`a read of ${values.rows} rows, one caller`, 'p50 ms', 'driver'], rows)}\n`);

await Promise.all([pool.end(), workers.close(), egress.close()]);
await postgres.stop();
await rm(directory, { recursive: true, force: true });
