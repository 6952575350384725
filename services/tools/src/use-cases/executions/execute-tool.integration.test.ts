import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import { testEgress } from '@fairlead/connector-runtime/testing/calls';
import { connectorHandlers } from '@fairlead/connectors/handlers';
import { startPostgres } from '@fairlead/local-stores/postgres';
import type { RunningPostgres } from '@fairlead/local-stores/postgres';
import { systemClock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testContext } from '@fairlead/service-kit/testing/context';
import { onePermit } from '@fairlead/service-kit/testing/permits';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createHistoryIds } from '../../domain/history-id.ts';
import type { History } from '../../ports/history.ts';
import { authenticationMethod, connectorHead, toolDefinition } from '../../testing/fixtures.ts';
import { noFiles } from '../../testing/files.ts';
import { historyCollections, historyStorage } from '../../testing/history-storage.ts';
import {
  catalogOf,
  connection,
  connectionsOf,
  toolRequest,
  maskingInPlace,
  platformSchemas,
} from '../../testing/tool-calls.ts';
import { withoutToolsets } from '../../testing/toolsets.ts';
import { executeTool } from './execute-tool.ts';
import type { ExecuteToolRequest } from './execute-tool.ts';

const SECRET_COLUMN = 'column-named-as-the-password';
const ctx = testContext({ accountId: 'acc_1' });
const egress = testEgress();

let directory: string;
let postgres: RunningPostgres;
let store: MongoStore & { drop(): Promise<void> };
let history: History;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-tools-'));
  [postgres, store] = await Promise.all([
    startPostgres({
      dataDirectory: directory,
      initialSql: `CREATE TABLE products (id int, "Price" numeric, "${SECRET_COLUMN}" text);\n\n`,
    }),
    testStore(inject('mongodbUri'), historyCollections),
  ]);
  history = historyStorage({ store, ids: createHistoryIds(Math.random), clock: systemClock }).repository;
});
afterAll(async () => {
  await Promise.all([postgres.stop(), egress.close(), store.drop()]);
  await rm(directory, { recursive: true, force: true });
});

/** Lists rows of `products` with a real connector, database and history. */
function listRows(query: Partial<ExecuteToolRequest>) {
  const { port, user, password, database } = postgres;
  const fields = { host: '127.0.0.1', port, user, password, database, sslMode: 'disable' };
  const definition = toolDefinition({
    toolSlug: 'postgresql-list-rows',
    inputSchema: { type: 'object', properties: { table: { type: 'string' } } },
    filters: { max: 10, fields: ['*'], query: null },
    sorts: { max: 5, fields: ['*'], query: null },
    paging: { type: 'handler', maxTop: 100 },
    execution: { type: 'handler', handler: 'listRows' },
  });
  const method = authenticationMethod({ scheme: { type: 'custom' } });
  const deps = {
    ...withoutToolsets,
    catalog: catalogOf(definition, connectorHead({ slug: 'postgresql', authenticationMethods: [method] })),
    connections: connectionsOf(connection({ applicationSlug: 'postgresql' }), {
      kind: 'credential',
      credential: { version: 1, fields, secrets: [SECRET_COLUMN] },
    }),
    runtime: createConnectorRuntime({ egress, handlers: connectorHandlers }),
    history,
    schemas: platformSchemas(ctx.log),
    outputMasker: maskingInPlace,
    ...noFiles,
    checkPermits: onePermit(),
    permits: onePermit(),
    clock: systemClock,
    timeoutMs: 30_000,
  };
  const request = { toolSlug: definition.toolSlug, fields: { table: 'products' }, ...query };
  return executeTool(deps, ctx, toolRequest(request));
}

const rows = async () =>
  (await history.list(ctx, 'acc_1', { filter: { from: new Date(0) }, page: { offset: 0, top: 100 } })).items;

test('a filter or sort on a column that the table does not have is refused by position, and leaves no row', async () => {
  const refusal = listRows({
    filters: [
      { field: 'Price', operator: 'gt', value: 1 },
      { field: 'price', operator: 'gt', value: 1 },
    ],
    sorts: [{ field: 'nope', direction: 'asc' }],
  });
  const issue = 'must be one of: id, Price, ***';
  await expect(refusal).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [
      { field: 'filters[1].field', issue },
      { field: 'sorts[0].field', issue },
    ],
  });
  expect(await rows()).toEqual([]);
});

test('a query on existing columns is executed and has a row, and so has one that the database refuses', async () => {
  const found = await listRows({ filters: [{ field: 'Price', operator: 'gt', value: 1 }] });
  expect(found.outcome).toEqual({ isSuccess: true, output: { items: [], totalCount: 0 } });
  const wrongType = await listRows({ filters: [{ field: 'Price', operator: 'gt', value: 'abc' }] });
  expect(wrongType.outcome).toMatchObject({ isSuccess: false });
  const noTable = await listRows({
    fields: { table: 'nope' },
    sorts: [{ field: 'id', direction: 'asc' }],
  });
  expect(noTable.outcome).toMatchObject({ isSuccess: false });
  expect((await rows()).map(({ historyId, outcome }) => [historyId, outcome.isSuccess])).toEqual([
    [noTable.historyId, false],
    [wrongType.historyId, false],
    [found.historyId, true],
  ]);
});
