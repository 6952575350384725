import { McpServerChangedSchema } from '@fairlead/contracts/mcp/v1/mcp_events_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { randomBase62 } from '@fairlead/service-kit/ids';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import { connectNats } from '@fairlead/service-kit/nats/nats';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import { Secret } from '@fairlead/service-kit/secret';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { announceServerChanges } from './server-changes.ts';

const { log, lines } = captureLog();
const accountId = `acc_${randomBase62(16)}`;
let nats: Nats;
const received: { readonly serverId: string; readonly changeId: string; readonly isDone: boolean }[] = [];

beforeAll(async () => {
  nats = await connectNats({ url: new Secret(inject('natsUrl')), name: 'test', log });
  // The server is shared with other tests, which publish, too.
  const subscription = nats.subscribe(defineEvent(McpServerChangedSchema), (message) => {
    if (message.accountId === accountId) received.push(message);
  });
  await vi.waitUntil(() => subscription.session() !== undefined, { timeout: 90_000 });
});
afterAll(() => nats.close());

test.each([
  { what: 'is made', error: undefined, isDone: true },
  { what: 'is refused', error: new ApiError('NOT_FOUND', 'gone'), isDone: true },
  { what: 'may still be made', error: new Error('connection lost'), isDone: false },
])('a change is announced before its write, and over when it $what: $isDone', async ({ error, isDone }) => {
  const changeServers = announceServerChanges({ nats, log });
  received.length = 0;
  const changed = changeServers({ accountId, serverId: 'srv' }, async () => {
    await expect.poll(() => received).toMatchObject([{ serverId: 'srv', isDone: false }]);
    if (error !== undefined) throw error;
  });
  expect(await changed.catch((thrown: unknown) => thrown)).toBe(error);
  const [announced] = received;
  expect(announced?.changeId).not.toBe('');
  await expect.poll(() => received[1]).toMatchObject({ changeId: announced?.changeId, isDone });
});

test('a change of any server of an account names none', async () => {
  received.length = 0;
  await announceServerChanges({ nats, log })({ accountId }, () => Promise.resolve());
  await expect
    .poll(() => received)
    .toMatchObject([
      { serverId: '', isDone: false },
      { serverId: '', isDone: true },
    ]);
});

test('without NATS the write happens all the same: no outage keeps a token from being rotated', async () => {
  // Nothing listens on port 1 (tcpmux).
  const away = await connectNats({ url: new Secret('nats://127.0.0.1:1'), name: 'test', log });
  const changeServers = announceServerChanges({ nats: away, log });
  expect(await changeServers({ accountId: 'acc_1' }, () => Promise.resolve('written'))).toBe('written');
  expect(lines().filter(({ msg }) => msg === 'cannot publish a change of an MCP server')).toHaveLength(2);
  await away.close();
});
