import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { CallOptions, ToolOutcome } from '@fairlead/connector-runtime/call';
import { createConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import {
  testCall,
  testConnector,
  testCredential,
  testEgress,
  testOptions,
  testTool,
} from '@fairlead/connector-runtime/testing/calls';
import { PATIENT_LIMITS } from '@fairlead/connector-runtime/testing/worker-runtime';
import { createHandlerWorkers } from '@fairlead/connector-runtime/workers/handler-workers';
import { startPostgres } from '@fairlead/local-stores/postgres';
import { startTestMariadb } from '@fairlead/local-stores/testing/mariadb';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { createConnectorHandlers, workerEntry } from '../handlers.ts';

const connector = testConnector({ slug: 'onprem-database', name: 'On-prem database', kind: 'OPA' });
const egress = testEgress();
const workers = createHandlerWorkers({
  entry: workerEntry,
  allow: { onlyTo: ['127.0.0.1'] },
  log: createLogger({ service: 'test', level: 'silent' }),
  limits: PATIENT_LIMITS,
});
const runtime = createConnectorRuntime({ egress, handlers: createConnectorHandlers(workers) });

const stops: (() => Promise<unknown>)[] = [];
const profiles = new Map<string, JsonObject>();

async function folder(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'fairlead-onprem-'));
  stops.push(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

beforeAll(async () => {
  const postgres = await startPostgres({ dataDirectory: await folder() });
  stops.unshift(() => postgres.stop());
  const mariadb = await startTestMariadb({
    directory: await folder(),
    sql: [
      "CREATE USER files@'127.0.0.1' IDENTIFIED BY 'pw';",
      "GRANT FILE ON *.* TO files@'127.0.0.1';",
      "GRANT ALL ON sample.* TO files@'127.0.0.1';",
    ],
  });
  stops.unshift(() => mariadb.stop());
  for (const [type, server] of Object.entries({ postgresql: postgres, mysql: mariadb })) {
    const { port, user, password, database } = server;
    profiles.set(type, { type, host: '127.0.0.1', port, user, password, database, sslMode: 'disable' });
  }
});
afterAll(async () => {
  await Promise.all([egress.close(), workers.close()]);
  for (const stop of stops) await stop();
});

function call(
  profile: JsonObject,
  handler: string,
  fields: JsonObject,
  options: Partial<CallOptions> = {},
): Promise<ToolOutcome> {
  const credential = testCredential(profile, { secrets: [] });
  return runtime.execute(
    testCall(testTool({ type: 'handler', handler }), { connector, credential, fields }),
    testOptions(options),
  );
}

const failure = (text: string): object => ({
  isSuccess: false,
  errorMessage: expect.stringContaining(text) as string,
});

describe.each([
  { type: 'postgresql', placeholder: '$1', second: '$2', schema: 'public', integer: 'integer' },
  { type: 'mysql', placeholder: '?', second: '?', schema: 'sample', integer: 'int(11)' },
])('a profile of the type $type', ({ type, placeholder, second, schema, integer }) => {
  const profile = (): JsonObject => profiles.get(type) ?? {};
  const execute = (sql: string, params: JsonObject[string] = []): Promise<ToolOutcome> =>
    call(profile(), 'executeStatement', { sql, params });
  const query = (sql: string, params: JsonObject[string] = []): Promise<ToolOutcome> =>
    call(profile(), 'runQuery', { sql, params });

  it('creates, fills, describes and reads a table', async () => {
    const created = await execute(
      'CREATE TABLE people (id int PRIMARY KEY, name varchar(50) NOT NULL, big bigint DEFAULT 7, price decimal(30,5))',
    );
    expect(created).toMatchObject({ isSuccess: true });
    const inserted = await execute(
      `INSERT INTO people (id, name, big, price) VALUES (1, ${placeholder}, 9223372036854775807, 12345678901234567890.12345), (2, ${second}, 2, null)`,
      ['Ada', "O'Hara; --"],
    );
    expect(inserted).toMatchObject({ isSuccess: true, output: { rowCount: 2, items: [] } });
    const table = { schema, name: 'people', type: 'table' };
    expect(await call(profile(), 'listTables', {})).toMatchObject({ output: { items: [table] } });
    expect(await call(profile(), 'listTables', { schema: 'nowhere' })).toMatchObject({
      output: { items: [] },
    });
    expect(await call(profile(), 'describeTable', { table: 'people' })).toMatchObject({
      output: {
        schema,
        name: 'people',
        columns: [
          { name: 'id', type: integer, isNullable: false, isPrimaryKey: true, defaultValue: null },
          { name: 'name', isNullable: false, isPrimaryKey: false },
          { name: 'big', isNullable: true, defaultValue: '7' },
          { name: 'price' },
        ],
      },
    });
    expect(await call(profile(), 'describeTable', { table: 'none' })).toMatchObject(
      failure('There is no table "none"'),
    );
    expect(await query(`SELECT * FROM people WHERE name = ${placeholder}`, ['Ada'])).toMatchObject({
      output: {
        rowCount: 1,
        items: [{ id: 1, name: 'Ada', big: '9223372036854775807', price: '12345678901234567890.12345' }],
      },
    });
    expect(await query(`SELECT id FROM people ORDER BY id LIMIT ${placeholder};`, [1])).toMatchObject({
      output: { items: [{ id: 1 }] },
    });
  });

  it.each([
    'INSERT INTO people (id, name) VALUES (9, 9)',
    'DROP TABLE people',
    'COMMIT',
    'SELECT 1; DROP TABLE people',
    'SELECT 1) OR EXISTS (SELECT 1',
    "SET SESSION time_zone = '+01:00'",
  ])('has the database refuse everything but a query, such as %s', async (sql) => {
    const words = expect.stringMatching(/takes one query|error in your SQL syntax/) as string;
    expect(await query(sql)).toMatchObject({ isSuccess: false, errorMessage: words });
    expect(await query('SELECT count(*) AS n FROM people')).toMatchObject({ isSuccess: true });
    expect(await query('SELECT 1 AS n FROM people WHERE id = 9')).toMatchObject({ output: { rowCount: 0 } });
  });

  it('rolls a statement back that fails, and quotes the database', async () => {
    expect(await execute("INSERT INTO people (id, name) VALUES (5, 'x'), (1, 'y')")).toMatchObject(
      failure('reported an error'),
    );
    expect(await query('SELECT 1 AS n FROM people WHERE id = 5')).toMatchObject({ output: { rowCount: 0 } });
  });

  it('a trigger starts after the rows that there are, and fires later ones once, also those that are committed late', async () => {
    await execute('CREATE TABLE events (id bigint PRIMARY KEY, note varchar(20))');
    const values = (ids: readonly bigint[]): string => ids.map((id) => `(${id}, 'n')`).join(', ');
    const insert = (...ids: readonly bigint[]) =>
      execute(`INSERT INTO events (id, note) VALUES ${values(ids)}`);
    const last = 9_007_199_254_741_000n;
    await insert(...Array.from({ length: 150 }, (_, at) => last - 2n * BigInt(at)));
    const read = async (inputs: JsonObject): Promise<JsonObject> => {
      const fields = { table: 'events', column: 'id', now: '2026-11-29T12:00:00.000Z', ...inputs };
      const outcome = await call(profile(), 'rowsCreated', fields);
      if (!outcome.isSuccess) throw new Error(outcome.errorMessage);
      return outcome.output;
    };
    const { cursor } = await read({});
    const none = await read({ cursor: cursor ?? null });
    expect(none).toMatchObject({ items: [], hasMore: false, gaps: [] });
    await insert(last - 1n, last + 1n);
    const found = await read({ cursor: none['cursor'] ?? null });
    const timeMs = Date.parse('2026-11-29T12:00:00.000Z');
    expect(found['items']).toEqual(
      [last - 1n, last + 1n].map((id) => ({
        key: String(id),
        timeMs,
        payload: JSON.stringify({ id: String(id), note: 'n' }),
      })),
    );
    expect(await read({ cursor: found['cursor'] ?? null })).toMatchObject({ items: [] });
    const whole = await read({ cursor: { since: null, known: [] } });
    expect(whole['items']).toHaveLength(152);
  });

  it('refuses results above 1 MiB while it reads them', async () => {
    expect(
      await query(
        "SELECT repeat('x', 1000) AS a FROM people p, people q, people r, people s, people t, people u, people v, people w, people x, people y, people z",
      ),
    ).toMatchObject(failure('larger than 1 MiB'));
  });

  it('a wrong password is unauthorized, and an address that the agent may not reach is named', async () => {
    const wrong = await call({ ...profile(), password: 'wrong' }, 'listTables', {});
    expect(wrong).toMatchObject({ isSuccess: false, isUnauthorized: true });
    const elsewhere = await call({ ...profile(), host: '10.0.0.1' }, 'listTables', {});
    expect(elsewhere).toMatchObject(failure('does not allow it'));
    expect(await call({ ...profile(), port: 1 }, 'listTables', {})).toMatchObject(
      failure('could not be reached'),
    );
    const needsTls = await call({ ...profile(), sslMode: 'require' }, 'listTables', {});
    expect(needsTls).toMatchObject(failure('does not offer TLS'));
    expect(await call({ ...profile(), sslMode: 'prefer' }, 'listTables', {})).toMatchObject({
      isSuccess: true,
    });
  });
});

describe('MySQL and MariaDB', () => {
  const profile = (): JsonObject => profiles.get('mysql') ?? {};
  const query = (sql: string): Promise<ToolOutcome> => call(profile(), 'runQuery', { sql });

  it('returns every type as JSON', async () => {
    const sql = `SELECT CAST(18446744073709551615 AS UNSIGNED) AS big, 1.5e0 AS f, TIMESTAMP '2026-01-02 03:04:05.678' AS t,
      x'00ff' AS bytes, b'101' AS bits, NULL AS nothing, JSON_EXTRACT('{"a":[1]}', '$') AS j, 1 AS a, 2 AS a`;
    expect(await query(sql)).toMatchObject({
      isSuccess: true,
      output: {
        items: [
          {
            big: '18446744073709551615',
            f: 1.5,
            t: '2026-01-02 03:04:05.678',
            bytes: '0x00ff',
            nothing: null,
            a: 1,
            a_2: 2,
          },
        ],
      },
    });
  });

  it('a query needs a user who cannot write files', async () => {
    const files = { ...profile(), user: 'files', password: 'pw' };
    const sql = "SELECT 1 INTO OUTFILE '/tmp/fairlead-never'";
    expect(await call(files, 'runQuery', { sql })).toMatchObject(failure('privileges FILE and SUPER'));
    expect(await query(sql)).toMatchObject(failure('takes one query'));
  });

  describe('the kept session of a connection', () => {
    const kept = { connectionId: 7 };
    const row = async (sql: string): Promise<unknown> => {
      const outcome = await call(profile(), 'runQuery', { sql }, kept);
      if (!outcome.isSuccess) throw new Error(outcome.errorMessage);
      const { items } = outcome.output;
      return Array.isArray(items) ? items[0] : undefined;
    };
    const session = () => row('SELECT CONNECTION_ID() AS id');

    it('serves the next call, which finds nothing of the last one', async () => {
      const first = await session();
      expect(await row("SELECT @left := 1 AS a, GET_LOCK('left', 0) AS b")).toEqual({ a: 1, b: 1 });
      expect(await session()).toEqual(first);
      expect(await row("SELECT @left AS a, IS_USED_LOCK('left') AS b")).toEqual({ a: null, b: null });
      const failed = await call(profile(), 'runQuery', { sql: 'SELECT none' }, kept);
      expect(failed.isSuccess).toBe(false);
      expect(await session()).toEqual(first);
    });

    it('ends with a statement that may have left more than a reset discards', async () => {
      const first = await session();
      const execute = (sql: string) => call(profile(), 'executeStatement', { sql }, kept);
      expect(await execute("DELETE FROM people WHERE name = 'nobody'")).toMatchObject({ isSuccess: true });
      expect(await session()).toEqual(first);
      expect(await execute('USE information_schema')).toMatchObject({ isSuccess: true });
      expect(await session()).not.toEqual(first);
      expect(await row('SELECT DATABASE() AS name')).toEqual({ name: 'sample' });
    });

    it('is replaced if the server has ended it', async () => {
      const first = await session();
      const { id } = first as { readonly id: number };
      expect(await call(profile(), 'executeStatement', { sql: `KILL ${id}` })).toMatchObject({
        isSuccess: true,
      });
      expect(await session()).not.toEqual(first);
    });
  });

  it('a call that is cancelled ends at once', async () => {
    const stop = new AbortController();
    const sleeping = call(profile(), 'runQuery', { sql: 'SELECT SLEEP(1000)' }, { signal: stop.signal });
    const isRunning = async (): Promise<boolean> => {
      const list = await query(
        "SELECT 1 AS n FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%'",
      );
      return list.isSuccess && list.output['rowCount'] === 1;
    };
    await expect.poll(isRunning, { timeout: 90_000 }).toBe(true);
    stop.abort();
    expect(await sleeping).toMatchObject({ isSuccess: false });
  });
});

it('a profile of another type is refused by its field', async () => {
  expect(await call({ type: 'http' }, 'runQuery', { sql: 'SELECT 1' })).toMatchObject({
    isSuccess: false,
    inputIssues: [{ field: 'fields.profile' }],
  });
});
