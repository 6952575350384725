import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
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
import { PATIENT_LIMITS } from '@fairlead/connector-runtime/testing/worker-runtime';
import { createHandlerWorkers } from '@fairlead/connector-runtime/workers/handler-workers';
import { startTestMariadb } from '@fairlead/local-stores/testing/mariadb';
import type { TestMariadb } from '@fairlead/local-stores/testing/mariadb';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { createConnectorHandlers, workerEntry } from '../handlers.ts';

const connector = testConnector({ slug: 'mysql', name: 'MySQL' });
const egress = testEgress();
const workers = createHandlerWorkers({
  entry: workerEntry,
  allow: { onlyTo: ['127.0.0.1'] },
  log: createLogger({ service: 'test', level: 'silent' }),
  limits: PATIENT_LIMITS,
});
const runtime = createConnectorRuntime({ egress, handlers: createConnectorHandlers(workers) });

let directory: string;
let mariadb: TestMariadb;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-mysql-'));
  mariadb = await startTestMariadb({ directory });
});
afterAll(async () => {
  await Promise.all([egress.close(), workers.close()]);
  await mariadb.stop();
  await rm(directory, { recursive: true, force: true });
});

function fieldsOf(members: JsonObject = {}): JsonObject {
  const { host, port, user, password, database } = mariadb;
  return { host, port, user, password, database, sslMode: 'disable', ...members };
}

function call(
  handler: string,
  fields: JsonObject,
  page: { top?: number; offset?: number } = {},
): Promise<ToolOutcome> {
  return runtime.execute(
    testCall(testTool({ type: 'handler', handler }), {
      connector,
      credential: testCredential(fieldsOf(), { secrets: [mariadb.password] }),
      fields,
      ...page,
    }),
    testOptions(),
  );
}

it('a login proves the credential, and a wrong password is refused', async () => {
  const check = (members: JsonObject): Promise<unknown> =>
    runtime.testCredential(
      testConnector({ slug: 'mysql' }),
      testMethod({ type: 'custom' }, { test: { type: 'handler', handler: 'testConnection' } }),
      testCredential(fieldsOf(members)),
      testOptions(),
    );
  expect(await check({})).toMatchObject({ isSuccess: true });
  expect(await check({ password: 'wrong' })).toMatchObject({ isSuccess: false });
});

it('rows are added, found, changed and deleted by the values of their columns', async () => {
  await call('executeStatement', {
    sql: 'CREATE TABLE jobs (id int AUTO_INCREMENT PRIMARY KEY, title varchar(50), state varchar(9) DEFAULT "open")',
  });
  const rows = [{ title: "a'; DROP TABLE jobs; --" }, { title: 'b', state: 'done' }, { title: null }];
  expect(await call('insertRows', { table: 'jobs', rows })).toMatchObject({ output: { rowCount: 3 } });
  const found = await call('listRows', {
    table: 'jobs',
    where: { state: 'open' },
    orderBy: 'id',
    isDescending: true,
  });
  expect(found).toMatchObject({
    output: {
      items: [
        { id: 3, title: null },
        { id: 1, title: "a'; DROP TABLE jobs; --" },
      ],
    },
  });
  const page = await call(
    'listRows',
    { table: 'jobs', schema: 'sample', orderBy: 'id' },
    { top: 1, offset: 1 },
  );
  expect(page).toMatchObject({ output: { items: [{ id: 2 }] } });
  const change = { table: 'jobs', values: { state: 'late' }, where: { title: null } };
  expect(await call('updateRows', change)).toMatchObject({ output: { rowCount: 1 } });
  expect(await call('deleteRows', { table: 'jobs', where: { id: 3 } })).toMatchObject({
    output: { rowCount: 1 },
  });
  expect(await call('listRows', { table: 'jobs' })).toMatchObject({
    output: { items: [{ id: 1 }, { id: 2 }] },
  });
});

it('a change without a condition is refused, and one that cannot be whole changes nothing', async () => {
  await call('executeStatement', { sql: 'CREATE TABLE kept (id int PRIMARY KEY)' });
  await call('insertRows', { table: 'kept', rows: [{ id: 1 }] });
  for (const [handler, fields] of [
    ['deleteRows', { where: {} }],
    ['updateRows', { values: { id: 2 }, where: {} }],
  ] as const)
    expect(await call(handler, { table: 'kept', ...fields })).toMatchObject({
      isSuccess: false,
      inputIssues: [{ field: 'fields.where' }],
    });
  expect(await call('insertRows', { table: 'kept', rows: [{ id: 2 }, { id: 1 }] })).toMatchObject({
    isSuccess: false,
  });
  expect(await call('listRows', { table: 'kept' })).toMatchObject({ output: { items: [{ id: 1 }] } });
});

it('a poll begins with the newest row and returns those that follow', async () => {
  await call('executeStatement', {
    sql: 'CREATE TABLE news (id int AUTO_INCREMENT PRIMARY KEY, title text)',
  });
  await call('insertRows', { table: 'news', rows: [{ title: 'old' }] });
  const config = { table: 'news', column: 'id', now: new Date().toISOString() };
  const first = await call('rowsCreated', config);
  if (!first.isSuccess) throw new Error(first.errorMessage);
  await call('insertRows', { table: 'news', rows: [{ title: 'new' }] });
  const { cursor = null } = first.output;
  expect(await call('rowsCreated', { ...config, cursor })).toMatchObject({
    output: { items: [{ payload: JSON.stringify({ id: 2, title: 'new' }) }] },
  });
});
