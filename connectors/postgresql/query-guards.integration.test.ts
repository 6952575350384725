import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { ToolOutcome } from '@fairlead/connector-runtime/call';
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
import { startPostgres } from '@fairlead/local-stores/postgres';
import type { RunningPostgres } from '@fairlead/local-stores/postgres';
import { connectorHandlers } from '../handlers.ts';
import { ROLES_SQL, USER_PASSWORD } from './testing/roles.ts';

const egress = testEgress();
const runtime = createConnectorRuntime({ egress, handlers: connectorHandlers });

let directory: string;
let postgres: RunningPostgres;
let boss: Client;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-guards-'));
  postgres = await startPostgres({ dataDirectory: directory, initialSql: ROLES_SQL });
  boss = new Client({ ...login('boss'), host: '127.0.0.1' });
  await boss.connect();
});
afterAll(async () => {
  await boss.end();
  await egress.close();
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
});

const login = (user: string) => ({
  port: postgres.port,
  database: postgres.database,
  user,
  password: user === postgres.user ? postgres.password : USER_PASSWORD,
});

function run(user: string, sql: string, params: JsonObject[string] = []): Promise<ToolOutcome> {
  const fields = { ...login(user), host: '127.0.0.1', sslMode: 'disable' };
  return runtime.execute(
    testCall(testTool({ type: 'handler', handler: 'runQuery' }), {
      connector: testConnector({ slug: 'postgresql', name: 'PostgreSQL' }),
      method: testMethod({ type: 'custom' }),
      credential: testCredential(fields),
      fields: { sql, params },
    }),
    testOptions(),
  );
}

const failure = (text: string): object => ({
  isSuccess: false,
  errorMessage: expect.stringContaining(text) as string,
});

it.each([
  ['SELECT', 'SELECT 1 AS n'],
  ['a semicolon', 'SELECT 1 AS n;'],
  ['semicolons and space', 'SELECT 1 AS n ; ;\n'],
  ['comments', '/* first /* inner */ */ -- then\nSELECT 1 AS n -- last'],
  ['parentheses', '(SELECT 1 AS n)'],
  ['WITH', 'WITH one AS (SELECT 1 AS n) SELECT n FROM one'],
  ['VALUES', 'SELECT n FROM (VALUES (1)) v(n) UNION VALUES (1)'],
  ['TABLE', 'TABLE ones'],
])('a query runs: %s', async (_name, sql) => {
  expect(await run('reader', sql)).toMatchObject({ output: { items: [{ n: 1 }], rowCount: 1 } });
});

it('the types of values are inferred from the query', async () => {
  const sql = 'SELECT $1::int + 1 AS n, $2 AS text FROM ones WHERE n = ANY ($3)';
  expect(await run('reader', sql, [41, 'x', [1, 2]])).toMatchObject({
    output: { items: [{ n: 42, text: 'x' }] },
  });
});

it.each([
  ['COPY', 'COPY (SELECT 1) TO STDOUT'],
  ['COPY after a comment', '/* SELECT */ COPY ones TO STDOUT'],
  ['SET', 'SET TRANSACTION READ WRITE'],
  ['LOCK', 'LOCK TABLE ones IN ACCESS SHARE MODE'],
  ['LISTEN', 'LISTEN gossip'],
  ['SHOW', 'SHOW server_version'],
  ['EXPLAIN', 'EXPLAIN SELECT 1'],
  ['DO', 'DO $$ BEGIN PERFORM 1; END $$'],
  ['PREPARE', 'PREPARE p AS SELECT 1'],
  ['CALL', 'CALL nothing()'],
  ['a second statement', 'SELECT 1; COPY ones TO STDOUT'],
  ['INTO', 'SELECT 1 AS n INTO copied'],
  ['a change in WITH', 'WITH gone AS (DELETE FROM ones RETURNING n) SELECT n FROM gone'],
  ['nothing', '-- SELECT 1'],
])('nothing but a query runs, and the message says so: %s', async (_name, sql) => {
  expect(await run(postgres.user, sql)).toMatchObject(
    failure('Run query takes one query: SELECT, VALUES, TABLE or WITH.'),
  );
});

it('the hint of a wrong query is the database’s own', async () => {
  const outcome = await run('reader', 'SELECT m.n FROM ones');
  expect(outcome).toMatchObject(failure('missing FROM-clause'));
  expect(outcome).not.toMatchObject(failure('Run query takes'));
});

it('a program never runs on the server of the database', async () => {
  expect(await run('boss', `COPY (SELECT 'x') TO PROGRAM 'cat > fairlead-attack'`)).toMatchObject(
    failure('needs a database user'),
  );
  expect(await run('writer', `COPY (SELECT 'x') TO PROGRAM 'cat > fairlead-attack'`)).toMatchObject({
    isSuccess: false,
  });
  const { rows } = await boss.query(`SELECT size FROM pg_stat_file('fairlead-attack', true)`);
  expect(rows).toEqual([{ size: null }]);
});

describe('a user whose functions act beyond transactions runs no query', () => {
  it.each([
    ['a superuser', 'boss'],
    ['a member of a superuser', 'deputy'],
    ['a member of a role with REPLICATION', 'copier'],
    ['a member of pg_signal_backend by another role, which it does not inherit', 'signaller'],
    ['a member of pg_write_server_files and pg_execute_server_program', 'writer'],
  ])('%s', async (_name, user) => {
    const victim = new Client({ ...login('reader'), host: '127.0.0.1' });
    await victim.connect();
    try {
      const { rows } = await victim.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const sql = `SELECT set_config('role', 'signallers', true), pg_terminate_backend($1)`;
      expect(await run(user, sql, [rows[0]?.pid ?? 0])).toMatchObject(failure('needs a database user'));
      expect((await victim.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
    } finally {
      await victim.end();
    }
  });

  it('a right counts from the moment at which it is granted', async () => {
    expect(await run('late', 'SELECT 1')).toMatchObject({ isSuccess: true });
    await boss.query('GRANT pg_signal_backend TO late');
    expect(await run('late', 'SELECT 1')).toMatchObject(failure('needs a database user'));
    await boss.query('REVOKE pg_signal_backend FROM late');
    expect(await run('late', 'SELECT 1')).toMatchObject({ isSuccess: true });
  });
});
