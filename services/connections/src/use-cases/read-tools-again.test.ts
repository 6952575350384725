import { McpDiscoveryError } from '@fairlead/connector-runtime/runtime';
import { ManualClock } from '@fairlead/service-kit/clock';
import { Secret } from '@fairlead/service-kit/secret';
import { testContext } from '@fairlead/service-kit/testing/context';
import { onePermit } from '@fairlead/service-kit/testing/permits';
import { expect, test } from 'vitest';
import type { Connection } from '../domain/connection.ts';
import { apiTokenMethod, connection, connectorHead, heldProviders, NOW, OWNER } from '../testing/builders.ts';
import { createToolReader } from './read-tools-again.ts';
import type { McpToolsRead } from '../domain/mcp-tools-read.ts';

const ctx = testContext(OWNER);
const DAY_MS = 24 * 60 * 60 * 1_000;
const head = connectorHead({
  slug: 'mcp',
  kind: 'MCPClient',
  authenticationMethods: [apiTokenMethod({ authenticationId: 0, isDefault: true })],
});

/** One stored MCP connection; its server returns another tool at each reading, or fails. */
function world() {
  const clock = new ManualClock(NOW);
  let stored: Connection = connection({
    kind: 'MCPClient',
    applicationSlug: 'mcp-7',
    grant: 'fields',
    mcpTools: { readAt: NOW, hash: 'former', version: 1 },
  });
  let readings = 0;
  let isDown = false;
  let onReading = (): void => undefined;
  const puts: string[] = [];
  const reader = createToolReader({
    clock,
    catalog: {
      getConnector: () => Promise.resolve(head),
      putApplication: (_ctx, { version }) => {
        puts.push(version);
        return Promise.resolve();
      },
      deleteApplication: () => Promise.resolve(),
    },
    connections: {
      find: () => Promise.resolve(stored),
      claimToolsReading: (_ctx, _accountId, _id, { before, now }) => {
        const isFree = (stored.mcpTools?.readAt ?? new Date(0)) < before;
        if (isFree) stored = { ...stored, mcpTools: { ...stored.mcpTools, readAt: now } };
        return Promise.resolve(isFree);
      },
      saveToolsRead: (_ctx, _accountId, _id, { readAt, hash, version }) => {
        stored = { ...stored, mcpTools: { readAt, hash, version } };
        return Promise.resolve(true);
      },
    },
    credentials: {
      read: () =>
        Promise.resolve({ connection: stored, credential: { secretFields: new Secret({}), tokens: null } }),
    },
    refresher: { refresh: () => Promise.reject(new Error('nothing to refresh')) },
    authProviders: heldProviders(),
    ownClients: { find: () => undefined },
    runtime: {
      discoverMcpTools: () => {
        readings += 1;
        onReading();
        if (isDown) return Promise.reject(new McpDiscoveryError('down'));
        const toolsJson = Buffer.from('[]');
        return Promise.resolve({ serverName: 'Files', serverVersion: String(readings), toolsJson });
      },
    },
    vendorPermits: onePermit(),
    timers: {
      after(ms, run) {
        clock.advance(ms + 1);
        setImmediate(run);
        return { cancel: () => undefined };
      },
    },
  });
  return {
    reader,
    clock,
    puts,
    readings: () => readings,
    setDown: (down: boolean) => {
      isDown = down;
    },
    /** During the next readings the credential is replaced. */
    replaceWhileReading: () => {
      onReading = () => {
        stored = { ...stored, credentialVersion: stored.credentialVersion + 1 };
      };
    },
    stored: () => stored,
    tools: (): McpToolsRead | undefined => stored.mcpTools,
  };
}

test('callers who want an unknown tool share one reading a minute', async () => {
  const { reader, clock, puts, readings, stored } = world();
  clock.advance(60_001);
  const wanted = await Promise.all(
    Array.from({ length: 20 }, () => reader.readForUnknownTool(ctx, stored())),
  );
  expect(wanted).toEqual(Array.from({ length: 20 }, () => true));
  expect(await reader.readForUnknownTool(ctx, stored())).toBe(false);
  expect(readings()).toBe(1);
  clock.advance(60_001);
  await reader.readForUnknownTool(ctx, stored());
  expect(puts).toEqual(['1.0.2', '1.0.3']);
});

test('a server that says that its tools have changed has them read at once, and once more if that was while they were read', async () => {
  const { reader, clock, readings, stored } = world();
  clock.advance(1_001);
  const announced = [1, 2, 3].map(() => reader.readAnnounced(ctx, stored()));
  expect(await Promise.all(announced)).toEqual([true, true, true]);
  expect(readings()).toBe(2);
  await reader.readAnnounced(ctx, stored());
  expect(readings()).toBe(3);
});

test('a connection in use has its tools read once a day, in the background', async () => {
  const { reader, clock, readings, stored } = world();
  clock.advance(DAY_MS);
  reader.readDaily(ctx, stored());
  await reader.drain();
  expect(readings()).toBe(0);
  clock.advance(1);
  for (let use = 0; use < 20; use += 1) reader.readDaily(ctx, stored());
  await reader.drain();
  reader.readDaily(ctx, stored());
  await reader.drain();
  expect(readings()).toBe(1);
});

test('other connections, and those without a licence, are not read', async () => {
  const { reader, readings, clock } = world();
  clock.advance(2 * DAY_MS);
  reader.readDaily(ctx, connection());
  reader.readDaily(ctx, connection({ kind: 'MCPClient', licence: { status: 'none', expiresAt: null } }));
  await reader.drain();
  expect(readings()).toBe(0);
});

test('a server that is down keeps its tools, and is not asked on every call', async () => {
  const { reader, clock, puts, readings, setDown, stored, tools } = world();
  setDown(true);
  clock.advance(DAY_MS + 1);
  reader.readDaily(ctx, stored());
  await reader.drain();
  reader.readDaily(ctx, stored());
  expect(await reader.readForUnknownTool(ctx, stored())).toBe(false);
  await reader.drain();
  expect(readings()).toBe(1);
  expect(puts).toEqual([]);
  expect(tools()).toMatchObject({ hash: 'former', version: 1 });
  expect(await reader.read(ctx, stored())).toEqual({ isSuccess: false, errorMessage: 'down' });
});

test('what was read with a credential that a PUT has replaced meanwhile does not overwrite what the PUT read', async () => {
  const { reader, puts, readings, replaceWhileReading, stored, tools } = world();
  replaceWhileReading();
  expect(await reader.read(ctx, stored())).toEqual({ isSuccess: true, value: false });
  expect(readings()).toBe(1);
  expect(puts).toEqual([]);
  expect(tools()).toMatchObject({ hash: 'former' });
});
