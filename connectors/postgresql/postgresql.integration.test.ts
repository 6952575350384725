import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { CallOptions, FilterCondition, ToolCall, ToolOutcome } from '@fairlead/connector-runtime/call';
import { createConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import { PATIENT_LIMITS } from '@fairlead/connector-runtime/testing/worker-runtime';
import { createHandlerWorkers } from '@fairlead/connector-runtime/workers/handler-workers';
import type { ConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import {
  testCall,
  testConnector,
  testCredential,
  testEgress,
  testMethod,
  testOptions,
  testTool,
} from '@fairlead/connector-runtime/testing/calls';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { startPostgres } from '@fairlead/local-stores/postgres';
import type { RunningPostgres } from '@fairlead/local-stores/postgres';
import { createConnectorHandlers, workerEntry } from '../handlers.ts';
import { startTlsFront } from './testing/tls-front.ts';
import type { TlsFront } from './testing/tls-front.ts';

const connector = testConnector({ slug: 'postgresql', name: 'PostgreSQL' });
const method = testMethod({ type: 'custom' }, { test: { type: 'handler', handler: 'testConnection' } });
const egress = testEgress();
const log = createLogger({ service: 'test', level: 'silent' });
const workers = createHandlerWorkers({
  entry: workerEntry,
  allow: ['127.0.0.0/8'],
  log,
  limits: PATIENT_LIMITS,
});
const runtime: ConnectorRuntime = createConnectorRuntime({
  egress,
  handlers: createConnectorHandlers(workers),
});

let directory: string;
let postgres: RunningPostgres;
let fields: JsonObject;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-postgresql-'));
  postgres = await startPostgres({ dataDirectory: directory });
  const { port, user, password, database } = postgres;
  fields = { host: '127.0.0.1', port, user, password, database, sslMode: 'disable' };
  for (const sql of SETUP) {
    const outcome = await statement(sql);
    if (!outcome.isSuccess) throw new Error(outcome.errorMessage);
  }
});

afterAll(async () => {
  await postgres.stop();
  await Promise.all([egress.close(), workers.close()]);
  await rm(directory, { recursive: true, force: true });
});

const SETUP = [
  `CREATE TABLE people (id int PRIMARY KEY, name text NOT NULL, note text DEFAULT 'none', age int, big bigint)`,
  `INSERT INTO people (id, name, note, age, big) VALUES
     (1, 'Ada', '50% off', 36, 9223372036854775807), (2, 'adam', 'a_b', NULL, 2), (3, 'Bob', 'axb', 20, 3)`,
  `CREATE SCHEMA "Odd ""Schema"`,
  `CREATE TABLE "Odd ""Schema"."Odd; Table" ("A ""column" text, "select" int)`,
  `INSERT INTO "Odd ""Schema"."Odd; Table" VALUES ('x', 1)`,
  'CREATE VIEW adults AS SELECT * FROM people WHERE age > 30',
  'CREATE TABLE many AS SELECT g AS id FROM generate_series(1, 250) g',
];

function call(
  handler: string,
  inputs: JsonObject,
  parts: Partial<ToolCall> = {},
  options: Partial<CallOptions> = {},
): Promise<ToolOutcome> {
  const credential = testCredential(fields, { secrets: [postgres.password] });
  const tool = testTool({ type: 'handler', handler });
  return runtime.execute(
    testCall(tool, { connector, method, credential, fields: inputs, ...parts }),
    testOptions(options),
  );
}

const statement = (sql: string, params: JsonObject[string] = []): Promise<ToolOutcome> =>
  call('executeStatement', { sql, params });
const query = (sql: string, params: JsonObject[string] = []): Promise<ToolOutcome> =>
  call('runQuery', { sql, params });
const failure = (text: string): object => ({
  isSuccess: false,
  errorMessage: expect.stringContaining(text) as string,
});

describe('the connection', () => {
  const check = (changed: JsonObject): Promise<unknown> =>
    runtime.testCredential(connector, method, testCredential({ ...fields, ...changed }), testOptions());

  it('passes its test with the right login', async () => {
    expect(await check({})).toEqual({ isSuccess: true });
    expect(await check({ port: String(postgres.port) })).toEqual({ isSuccess: true });
  });

  it('reports a wrong password and an unknown user as unauthorized', async () => {
    for (const changed of [{ password: 'wrong' }, { password: '' }, { user: 'nobody-here' }]) {
      expect(await check(changed)).toMatchObject({ isSuccess: false, isUnauthorized: true });
    }
  });

  it('says what is wrong with address, database and TLS', async () => {
    expect(await check({ database: 'nowhere' })).toMatchObject({
      ...failure('"nowhere" does not exist'),
      isUnauthorized: false,
    });
    expect(await check({ port: 1 })).toMatchObject(failure('could not be reached'));
    expect(await check({ port: 'x' })).toMatchObject(failure('port of the connection'));
    expect(await check({ host: '10.0.0.1' })).toMatchObject(failure('not allowed'));
    expect(await check({ sslMode: 'require' })).toMatchObject(failure('does not offer TLS'));
    expect(await check({ sslMode: 'verify-full' })).toMatchObject(failure('does not offer TLS'));
  });

  it('continues without TLS if the server has none and the connection only prefers it', async () => {
    expect(await check({ sslMode: 'prefer' })).toEqual({ isSuccess: true });
    expect(await check({ sslMode: 'prefer', password: 'wrong' })).toMatchObject({ isUnauthorized: true });
  });
});

describe('a connection over TLS', () => {
  let front: TlsFront;
  beforeAll(async () => {
    front = await startTlsFront(postgres.port);
  });
  afterAll(() => front.close());

  const check = (sslMode: string): Promise<unknown> =>
    runtime.testCredential(
      connector,
      method,
      testCredential({ ...fields, port: front.port, sslMode }),
      testOptions(),
    );

  it('is encrypted with any certificate, if the settings require that', async () => {
    expect(await check('require')).toEqual({ isSuccess: true });
    expect(await check('prefer')).toEqual({ isSuccess: true });
  });

  it('is refused without a trusted certificate, if the settings require one', async () => {
    expect(await check('verify-full')).toMatchObject(failure('certificate of the server cannot be verified'));
  });

  it('is trusted if the operator trusts the certificate: workers know what the service knows', async () => {
    const trusted = getCACertificates('default');
    setDefaultCACertificates([...trusted, front.certificate]);
    const allow = ['127.0.0.0/8'];
    const others = createHandlerWorkers({ entry: workerEntry, allow, log, limits: PATIENT_LIMITS });
    setDefaultCACertificates(trusted);
    onTestFinished(() => others.close());
    const settings = { ...fields, host: 'localhost', port: front.port, sslMode: 'verify-full' };
    const other: ConnectorRuntime = createConnectorRuntime({
      egress,
      handlers: createConnectorHandlers(others),
    });
    const check = other.testCredential(connector, method, testCredential(settings), testOptions());
    expect(await check).toEqual({ isSuccess: true });
  });

  it('is never unencrypted if the server requires TLS', async () => {
    expect(await check('disable')).toMatchObject(failure('connection to the database failed'));
  });
});

describe('runQuery', () => {
  it('returns rows as JSON, with parameters by position', async () => {
    const outcome = await query(
      'SELECT id, big, age, $2::text AS tag FROM people WHERE id = ANY($1) ORDER BY id',
      [[1, 2], 'x'],
    );
    expect(outcome).toMatchObject({
      output: {
        items: [
          { id: 1, big: '9223372036854775807', age: 36, tag: 'x' },
          { id: 2, big: '2', age: null, tag: 'x' },
        ],
        rowCount: 2,
      },
    });
  });

  it('keeps both of two columns with the same name', async () => {
    expect(await query('SELECT 1 AS a, 2 AS a, 3 AS a')).toMatchObject({
      output: { items: [{ a: 1, a_2: 2, a_3: 3 }] },
    });
  });

  it('changes nothing, whatever the statement', async () => {
    for (const sql of [
      `INSERT INTO people VALUES (9, 'x')`,
      'DROP TABLE people',
      `SELECT set_config('transaction_read_only', 'off', true), (SELECT count(*) FROM people)`,
      'COMMIT; DELETE FROM people',
      'SELECT 1; DELETE FROM people',
      'DO $$ BEGIN COMMIT; DELETE FROM people; END $$',
      'WITH gone AS (DELETE FROM people RETURNING *) SELECT * FROM gone',
    ]) {
      expect(await query(sql), sql).toMatchObject({ isSuccess: false });
    }
    expect(await query('SELECT count(*)::int AS n FROM people')).toMatchObject({
      output: { items: [{ n: 3 }] },
    });
  });

  it('returns the message of the database', async () => {
    expect(await query('SELECT nope FROM people')).toMatchObject(failure('column "nope" does not exist'));
    expect(await query('SELEC 1')).toMatchObject(failure('syntax error'));
  });

  it('refuses a result above 1 MiB without reading it all', async () => {
    // In the select list, generate_series sends rows as it creates them; in FROM, the server would create all of them first.
    expect(await query(`SELECT repeat('x', 1000), generate_series(1, 10000000)`)).toMatchObject(
      failure('larger than 1 MiB'),
    );
  });

  it('is stopped by the database at the deadline', async () => {
    const slow = call('runQuery', { sql: 'SELECT pg_sleep(300)' }, {}, { timeoutMs: 3000 });
    expect(await slow).toMatchObject({
      isSuccess: false,
      // On a busy machine, the database's error may come after the call's own deadline.
      errorMessage: expect.stringMatching(/stopped the statement|did not respond within 3 s/) as string,
    });
    const running = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE query LIKE '%pg_sleep(300)%' AND state = 'active' AND pid <> pg_backend_pid()`;
    await expect
      .poll(() => query(running), { timeout: 90_000 })
      .toMatchObject({ output: { items: [{ n: 0 }] } });
  });

  it('ends when the caller cancels', async () => {
    const controller = new AbortController();
    const slow = call('runQuery', { sql: 'SELECT pg_sleep(300)' }, {}, { signal: controller.signal });
    await expect
      .poll(() =>
        query(`SELECT count(*)::int AS n FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(300)'`),
      )
      .toMatchObject({ output: { items: [{ n: 1 }] } });
    controller.abort();
    expect(await slow).toMatchObject(failure('cancelled'));
  });
});

describe('executeStatement', () => {
  it('changes data and returns the count and the RETURNING rows', async () => {
    expect(await statement('INSERT INTO many VALUES ($1), ($2) RETURNING id', [1001, 1002])).toMatchObject({
      output: { items: [{ id: 1001 }, { id: 1002 }], rowCount: 2 },
    });
    expect(await statement('DELETE FROM many WHERE id > 1000')).toMatchObject({
      output: { items: [], rowCount: 2 },
    });
  });

  it('changes nothing when its result is refused', async () => {
    const outcome = await statement(`UPDATE people SET note = note RETURNING repeat('x', 1000000)`);
    expect(outcome).toMatchObject(failure('larger than 1 MiB'));
    const big = await statement(
      `INSERT INTO many SELECT 5000 FROM generate_series(1, 3000) RETURNING repeat('x', 1000)`,
    );
    expect(big).toMatchObject(failure('larger than 1 MiB'));
    expect(await query('SELECT count(*)::int AS n FROM many WHERE id = 5000')).toMatchObject({
      output: { items: [{ n: 0 }] },
    });
  });

  it('accepts only one statement', async () => {
    expect(await statement('DELETE FROM many; DELETE FROM people')).toMatchObject({ isSuccess: false });
  });
});

describe('listTables and describeTable', () => {
  it('lists tables and views of the user’s schemas, or of the requested one', async () => {
    expect(await call('listTables', {})).toMatchObject({
      output: {
        items: [
          { schema: 'Odd "Schema', name: 'Odd; Table', type: 'table' },
          { schema: 'public', name: 'adults', type: 'view' },
          { schema: 'public', name: 'many', type: 'table' },
          { schema: 'public', name: 'people', type: 'table' },
        ],
      },
    });
    expect(await call('listTables', { schema: 'Odd "Schema' })).toMatchObject({
      output: { items: [{ name: 'Odd; Table' }] },
    });
  });

  it('describes the columns in order', async () => {
    expect(await call('describeTable', { table: 'people' })).toMatchObject({
      output: {
        schema: 'public',
        name: 'people',
        columns: [
          { name: 'id', type: 'integer', isNullable: false, isPrimaryKey: true, defaultValue: null },
          { name: 'name', type: 'text', isNullable: false, isPrimaryKey: false, defaultValue: null },
          { name: 'note', type: 'text', isNullable: true, isPrimaryKey: false, defaultValue: `'none'::text` },
          { name: 'age', type: 'integer', isNullable: true },
          { name: 'big', type: 'bigint' },
        ],
      },
    });
    expect(await call('describeTable', { table: 'nope' })).toMatchObject(failure('no table "nope"'));
  });
});

describe('listRows', () => {
  const ids = async (filters: readonly FilterCondition[], table = 'people'): Promise<unknown> => {
    const outcome = await call(
      'listRows',
      { table },
      { filters, sorts: [{ field: 'id', direction: 'asc' }] },
    );
    if (!outcome.isSuccess) throw new Error(outcome.errorMessage);
    const items: unknown = outcome.output['items'];
    return Array.isArray(items) ? items.map((item: { id: number }) => item.id) : items;
  };

  it.each<[string, FilterCondition, number[]]>([
    ['eq', { field: 'name', operator: 'eq', value: 'Ada' }, [1]],
    ['eq null', { field: 'age', operator: 'eq', value: null }, [2]],
    ['ne holds for null', { field: 'age', operator: 'ne', value: 36 }, [2, 3]],
    ['gt', { field: 'age', operator: 'gt', value: 20 }, [1]],
    ['gte', { field: 'age', operator: 'gte', value: '20' }, [1, 3]],
    ['lt', { field: 'id', operator: 'lt', value: 2 }, [1]],
    ['lte', { field: 'id', operator: 'lte', value: 2 }, [1, 2]],
    ['in', { field: 'id', operator: 'in', value: [1, 3, 99] }, [1, 3]],
    ['contains is case-sensitive', { field: 'name', operator: 'contains', value: 'da' }, [1, 2]],
    ['contains takes % for itself', { field: 'note', operator: 'contains', value: '0% o' }, [1]],
    ['contains takes _ for itself', { field: 'note', operator: 'contains', value: 'a_b' }, [2]],
    ['startsWith is case-sensitive', { field: 'name', operator: 'startsWith', value: 'Ad' }, [1]],
    ['startsWith takes a backslash for itself', { field: 'note', operator: 'startsWith', value: 'a\\' }, []],
    ['isNull', { field: 'age', operator: 'isNull', value: true }, [2]],
    ['isNull false', { field: 'age', operator: 'isNull', value: false }, [1, 3]],
    ['a quote is only a quote', { field: 'name', operator: 'eq', value: `' OR true --` }, []],
    ['bigint as text', { field: 'big', operator: 'eq', value: '9223372036854775807' }, [1]],
  ])('filters: %s', async (_name, filter, expected) => {
    expect(await ids([filter])).toEqual(expected);
  });

  it('applies every filter', async () => {
    expect(
      await ids([
        { field: 'id', operator: 'gt', value: 1 },
        { field: 'name', operator: 'eq', value: 'Bob' },
      ]),
    ).toEqual([3]);
  });

  it('pages with top (default 100) and offset, and counts all matches', async () => {
    const sorts = [{ field: 'id', direction: 'desc' as const }];
    const page = await call('listRows', { table: 'many' }, { sorts, top: 2, offset: 3 });
    expect(page).toMatchObject({ output: { items: [{ id: 247 }, { id: 246 }], totalCount: 250 } });
    const whole = await call('listRows', { table: 'many' }, { sorts });
    expect(whole).toMatchObject({ output: { totalCount: 250 } });
    expect(whole.isSuccess && whole.output['items']).toHaveLength(100);
  });

  it('accepts any name for schema, table and column', async () => {
    const odd = { schema: 'Odd "Schema', table: 'Odd; Table' };
    const row = { 'A "column': 'x', select: 1 };
    expect(
      await call('listRows', odd, {
        filters: [{ field: 'A "column', operator: 'eq', value: 'x' }],
        sorts: [{ field: 'select', direction: 'asc' }],
      }),
    ).toMatchObject({ output: { items: [row], totalCount: 1 } });
    expect(await call('listRows', { table: 'nope' })).toMatchObject(failure('no table "nope"'));
  });

  it('refuses a column that does not exist, was dropped, or only shares a prefix with one of maximum length', async () => {
    await statement(`CREATE TABLE changed ("Kept" int, gone int, ${'n'.repeat(63)} int)`);
    await statement('ALTER TABLE changed DROP COLUMN gone');
    const refused = ['kept', 'gone', 'n'.repeat(64), 'ctid', 'Kept; DROP TABLE people'];
    const filters = ['Kept', ...refused].map((field) => ({ field, operator: 'eq' as const, value: 1 }));
    expect(await call('listRows', { table: 'changed' }, { filters })).toMatchObject({
      isSuccess: false,
      inputIssues: [1, 2, 3, 4, 5].map((index) => ({ field: `filters[${index}].field` })),
    });
    await statement('DROP TABLE changed');
  });

  it('returns the message of the database for a value of the wrong type', async () => {
    const filters = [{ field: 'age', operator: 'eq' as const, value: 'old' }];
    const outcome = await call('listRows', { table: 'people' }, { filters });
    expect(outcome).toMatchObject(failure('invalid input syntax'));
    expect(outcome).not.toHaveProperty('inputIssues');
  });
});
