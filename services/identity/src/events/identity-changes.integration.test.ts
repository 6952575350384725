import { IdentityChangedSchema } from '@fairlead/contracts/identity/v1/identity_events_pb';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import { connectNats } from '@fairlead/service-kit/nats/nats';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import { Secret } from '@fairlead/service-kit/secret';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { announceIdentityChanges } from './identity-changes.ts';

let happened: string[];
let closing: Nats[];
beforeEach(() => {
  happened = [];
  closing = [];
});
afterEach(() => Promise.all(closing.map((nats) => nats.close())));

const { log, lines } = captureLog();

async function connect(url: string): Promise<Nats> {
  const nats = await connectNats({ url: new Secret(url), name: 'test', log });
  closing.push(nats);
  return nats;
}

/** Waits until a message published before has arrived. */
async function write(): Promise<string> {
  await expect.poll(() => happened).toEqual(['acc_1']);
  happened.push('write');
  return 'written';
}

test('a change is published before the write and after it, even after one that failed', async () => {
  const [gateway, identity] = [await connect(inject('natsUrl')), await connect(inject('natsUrl'))];
  gateway.subscribe(defineEvent(IdentityChangedSchema), ({ accountId }) => void happened.push(accountId));
  await expect.poll(() => gateway.isLive()).toBe(true);
  const changeIdentity = announceIdentityChanges({ nats: identity, log });
  expect(await changeIdentity('acc_1', write)).toBe('written');
  await expect.poll(() => happened).toEqual(['acc_1', 'write', 'acc_1']);
  happened = [];
  const failing = changeIdentity('acc_1', async () => {
    await write();
    throw new Error('the write failed');
  });
  await expect(failing).rejects.toThrow('the write failed');
  await expect.poll(() => happened).toEqual(['acc_1', 'write', 'acc_1']);
});

test('without NATS the write happens all the same: no outage keeps a key from being revoked', async () => {
  // Port 1 (tcpmux) is never listened on.
  const changeIdentity = announceIdentityChanges({ nats: await connect('nats://127.0.0.1:1'), log });
  expect(await changeIdentity('acc_1', () => Promise.resolve('written'))).toBe('written');
  expect(lines().filter(({ msg }) => msg === 'cannot publish a change of identity data')).toHaveLength(2);
});
