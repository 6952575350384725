import { IdentityChangedSchema } from '@fairlead/contracts/identity/v1/identity_events_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { randomBase62 } from '@fairlead/service-kit/ids';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import { connectNats } from '@fairlead/service-kit/nats/nats';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import { Secret } from '@fairlead/service-kit/secret';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { announceIdentityChanges } from './identity-changes.ts';

const { log, lines } = captureLog();
const accountId = `acc_${randomBase62(16)}`;
let nats: Nats;
const received: { readonly changeId: string; readonly isDone: boolean }[] = [];

beforeAll(async () => {
  nats = await connectNats({ url: new Secret(inject('natsUrl')), name: 'test', log });
  // The server is shared with other tests, which publish, too.
  const subscription = nats.subscribe(defineEvent(IdentityChangedSchema), (message) => {
    if (message.accountId === accountId) received.push(message);
  });
  await vi.waitUntil(() => subscription.session() !== undefined, { timeout: 90_000 });
});
afterAll(() => nats.close());

test.each([
  { what: 'is made', error: undefined, isDone: true },
  { what: 'is refused', error: new ApiError('CONFLICT', 'refused'), isDone: true },
  { what: 'may still be made', error: new Error('connection lost'), isDone: false },
])('a change is announced before its write, and over when it $what: $isDone', async ({ error, isDone }) => {
  const changeIdentity = announceIdentityChanges({ nats, log });
  received.length = 0;
  const changed = changeIdentity(accountId, async () => {
    await expect.poll(() => received).toMatchObject([{ isDone: false }]);
    if (error !== undefined) throw error;
  });
  expect(await changed.catch((thrown: unknown) => thrown)).toBe(error);
  const [announced] = received;
  expect(announced?.changeId).not.toBe('');
  await expect.poll(() => received[1]).toMatchObject({ changeId: announced?.changeId, isDone });
  await changeIdentity(accountId, () => Promise.resolve());
  await expect.poll(() => received.length).toBe(4);
  expect(received[2]?.changeId).not.toBe(announced?.changeId);
});

test('without NATS the write happens all the same: no outage keeps a key from being revoked', async () => {
  // Nothing listens on port 1 (tcpmux).
  const away = await connectNats({ url: new Secret('nats://127.0.0.1:1'), name: 'test', log });
  const changeIdentity = announceIdentityChanges({ nats: away, log });
  expect(await changeIdentity('acc_1', () => Promise.resolve('written'))).toBe('written');
  expect(lines().filter(({ msg }) => msg === 'cannot publish a change of identity data')).toHaveLength(2);
  await away.close();
});
