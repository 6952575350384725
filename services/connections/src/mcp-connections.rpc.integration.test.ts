import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { mcpResult, startTestMcpServer } from '@fairlead/connector-runtime/testing/mcp-server';
import { freePort, waitForPort } from '@fairlead/local-stores/ports';
import { ApplicationKind } from '@fairlead/contracts/catalog/v1/application_pb';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import { testContext } from '@fairlead/service-kit/testing/context';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { membersOf } from '@fairlead/service-kit/json/json-members';
import { create, required, startWorld } from './testing/world.ts';
import type { World } from './testing/world.ts';

const SERVER = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));

let world: World;
let ctx: RequestContext;
let serverUrl: string;
let stopServer: () => Promise<void>;

beforeAll(async () => {
  const port = await freePort();
  const child = spawn(process.execPath, [SERVER, 'streamableHttp'], {
    env: { PORT: String(port) },
    stdio: 'ignore',
  });
  stopServer = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  await waitForPort(port, AbortSignal.timeout(90_000));
  serverUrl = `http://127.0.0.1:${String(port)}/mcp`;
  world = await startWorld(inject('mongodbUri'));
});

afterAll(async () => {
  // Registered first, so that no process is left if the world does not start.
  await stopServer();
  await world.close();
});

beforeEach(() => {
  ctx = testContext();
});

const connect = (fields: Record<string, string>) =>
  create(world, ctx, { applicationSlug: 'mcp', connectionName: 'Everything', fields });

async function countConnections(): Promise<number> {
  const { totalCount } = await world.instance.connections.listConnections(ctx, {
    page: { offset: 0, top: 1 },
  });
  return totalCount;
}

function applicationOf(slug: string) {
  return world.catalog.applications().find((application) => application.slug === slug);
}

test('a connected server becomes an application of the account with its tools, which the record names', async () => {
  const connection = await connect({ serverUrl });
  expect(connection).toMatchObject({
    kind: ApplicationKind.MCP_CLIENT,
    applicationSlug: `mcp-${String(connection.id)}`,
    isDefault: true,
    fields: { serverUrl },
  });
  const application = required(applicationOf(connection.applicationSlug));
  expect(application.name).toBe(connection.applicationName);
  expect(application.authenticationMethods.map(({ authenticationName }) => authenticationName)).toContain(
    'None',
  );
  expect(
    application.tools
      .map(({ toolName }) => toolName)
      .join(' ')
      .toLowerCase(),
  ).toContain('echo');
  expect(await world.instance.connections.testConnection(ctx, { id: connection.id })).toMatchObject({
    isSuccess: true,
  });
});

test('a server that cannot be reached is a VALIDATION_ERROR on its address and leaves nothing behind', async () => {
  const before = world.catalog.applications().length;
  for (const address of [`http://127.0.0.1:${String(await freePort())}/mcp`, world.crm.url, 'no address']) {
    await expect(connect({ serverUrl: address })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [expect.objectContaining({ field: 'fields.serverUrl' }) as object],
    });
  }
  expect(await countConnections()).toBe(0);
  expect(world.catalog.applications()).toHaveLength(before);
});

test('a catalogue that fails leaves no connection behind', async () => {
  world.catalog.refusePuts(true);
  try {
    await expect(connect({ serverUrl })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  } finally {
    world.catalog.refusePuts(false);
  }
  expect(await countConnections()).toBe(0);
});

test('a PUT with fields reads the tools again; unchanged, they keep the version of the application', async () => {
  const { id, applicationSlug } = await connect({ serverUrl });
  const before = required(applicationOf(applicationSlug)).version;
  const replace = (fields: Record<string, string>) =>
    world.instance.connections.replaceConnection(ctx, {
      id,
      connectionName: 'again',
      fields: { membersJson: membersOf(fields) },
    });
  await expect(replace({ serverUrl: 'http://127.0.0.1:1/mcp' })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
  expect(required(applicationOf(applicationSlug)).version).toBe(before);
  expect((await replace({ serverUrl })).connection).toMatchObject({ id, applicationSlug });
  expect(required(applicationOf(applicationSlug)).version).toBe(before);
});

test('a connection whose application was never created, as after a crash, can be repaired, tested and deleted', async () => {
  const { id, applicationSlug } = await connect({ serverUrl });
  world.catalog.lose(applicationSlug);
  const { connections } = world.instance;
  expect(await connections.testConnection(ctx, { id })).toMatchObject({ isSuccess: true });
  await connections.replaceConnection(ctx, {
    id,
    connectionName: 'again',
    fields: { membersJson: membersOf({ serverUrl }) },
  });
  expect(applicationOf(applicationSlug)).toBeDefined();
  world.catalog.lose(applicationSlug);
  await connections.deleteConnection(ctx, { id });
  expect(await countConnections()).toBe(0);
});

test("a connection's own application takes no second connection", async () => {
  const { applicationSlug } = await connect({ serverUrl });
  await expect(create(world, ctx, { applicationSlug, fields: { serverUrl } })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
});

test('DELETE removes the application too', async () => {
  const { id, applicationSlug } = await connect({ serverUrl });
  await world.instance.connections.deleteConnection(ctx, { id });
  expect(applicationOf(applicationSlug)).toBeUndefined();
  expect(await countConnections()).toBe(0);
});

test('tools are read again at PUT and test, for an unknown tool, and daily while the connection is used', async () => {
  const names = ['first'];
  let isDown = false;
  const changing = await startTestMcpServer(({ id, method }) => {
    if (isDown || method !== 'tools/list') return { status: isDown ? 503 : 404 };
    return {
      body: mcpResult(id, { tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) }),
    };
  });
  const { connections, credentials } = world.instance;
  const { id, applicationSlug } = await connect({ serverUrl: changing.url });
  const shown = () => {
    const { version, tools } = required(applicationOf(applicationSlug));
    return [version, ...tools.map(({ toolSlug }) => toolSlug)];
  };
  expect(shown()).toEqual(['1.0.2', 'first']);

  await connections.testConnection(ctx, { id });
  expect(shown()).toEqual(['1.0.2', 'first']);
  names.push('second');
  await connections.testConnection(ctx, { id });
  expect(shown()).toEqual(['1.0.3', 'first', 'second']);

  names.push('third');
  await connections.replaceConnection(ctx, { id, connectionName: 'renamed' });
  expect(shown()).toEqual(['1.0.4', 'first', 'second', 'third']);

  names.push('fourth');
  const unknown = { by: { case: 'applicationSlug', value: applicationSlug } } as const;
  expect(await credentials.readToolsAgain(ctx, unknown)).toMatchObject({ hasChanged: false });
  world.clock.advance(60_001);
  const other = testContext();
  expect(await credentials.readToolsAgain(other, unknown)).toMatchObject({ hasChanged: false });
  // An anonymous client may trigger a reading, too: the tools belong to the account.
  const accountId = accountOf(ctx);
  const anonymous = testContext({ caller: { kind: 'anonymousClient', accountId, serverId: 'server-1' } });
  expect(await credentials.readToolsAgain(anonymous, unknown)).toMatchObject({ hasChanged: true });
  expect(shown()).toEqual(['1.0.5', 'first', 'second', 'third', 'fourth']);

  names.push('announced');
  world.clock.advance(1_001);
  // The mcp service watches the tool lists of the account's servers without a user.
  const following = testContext({ caller: { kind: 'serviceForAccount', service: 'mcp', accountId } });
  expect(await credentials.readToolsAgain(following, { ...unknown, isAnnounced: true })).toMatchObject({
    hasChanged: true,
  });

  names.push('fifth');
  world.clock.advance(24 * 60 * 60 * 1_000 + 1);
  await credentials.resolveConnection(ctx, { by: { case: 'id', value: id } });
  await expect.poll(shown).toContain('fifth');

  isDown = true;
  expect(await connections.testConnection(ctx, { id })).toMatchObject({ isSuccess: false });
  expect(shown()).toContain('fifth');
  await changing.close();
});
