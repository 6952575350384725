import { ApiError } from '@fairlead/errors/api-error';
import { ManualClock } from '@fairlead/service-kit/clock';
import { randomBase62 } from '@fairlead/service-kit/ids';
import { connectNats } from '@fairlead/service-kit/nats/nats';
import type { EventSubscription, Nats } from '@fairlead/service-kit/nats/nats';
import { Secret } from '@fairlead/service-kit/secret';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { untilAnnounced } from '../testing/announced.ts';
import { cacheCredentials, createIdentityCaches } from './credential-caches.ts';
import { subscribeToIdentityChanges } from './events/identity-changes.ts';
import type { CredentialLookup } from './ports/credential-lookup.ts';
import { testOwner } from './testing/owner.ts';

const PATIENCE = { timeout: 90_000, interval: 20 };
const log = createLogger({ service: 'test', level: 'silent' });
const accountId = `acc_${randomBase62(16)}`;
const clock = new ManualClock(new Date(0));
let nats: Nats;
let writer: Nats;
let credentials: CredentialLookup;
let received = 0;
let isAway = false;

beforeAll(async () => {
  const connect = () => connectNats({ url: new Secret(inject('natsUrl')), name: 'test', log });
  [nats, writer] = await Promise.all([connect(), connect()]);
  let subscription: EventSubscription | undefined;
  const caches = createIdentityCaches({
    clock,
    subscribe: (onChange) =>
      (subscription = subscribeToIdentityChanges(nats, (scope, change) => {
        onChange(scope, change);
        if (scope === accountId) received += 1;
      })),
  });
  const answer = <T>(found: T): Promise<T> =>
    isAway ? Promise.reject(new ApiError('UNAVAILABLE', 'away')) : Promise.resolve(found);
  credentials = cacheCredentials(caches, {
    findKey: () =>
      answer({
        owner: testOwner({ accountId }),
        keyId: 'key_1',
        expiresAt: null,
        scopes: null,
        toolsetId: null,
      }),
    findTokenOwner: () => answer(testOwner({ accountId })),
    findUser: () => answer(testOwner({ accountId })),
  });
  await vi.waitUntil(() => subscription?.session() !== undefined, PATIENCE);
});
afterAll(() => Promise.all([nats.close(), writer.close()]));

const isKnown = () =>
  credentials.findKey('hash').then(
    () => true,
    () => false,
  );

test('a key that was used once after a change holds for ten minutes while its source is away', async () => {
  received = 0;
  await untilAnnounced(writer, accountId, () => Promise.resolve());
  await expect.poll(() => received, PATIENCE).toBe(2);
  expect(await isKnown()).toBe(true);
  isAway = true;
  clock.advance(10 * 60_000 - 1);
  await expect.poll(isKnown, PATIENCE).toBe(true);
  clock.advance(1);
  expect(await isKnown()).toBe(false);
  isAway = false;
});

test('a key that was used while its account was changing holds for two seconds', async () => {
  received = 0;
  const { promise: written, resolve: write } = Promise.withResolvers<void>();
  const changed = untilAnnounced(writer, accountId, () => written);
  await expect.poll(() => received, PATIENCE).toBe(1);
  expect(await isKnown()).toBe(true);
  isAway = true;
  clock.advance(1_999);
  expect(await isKnown()).toBe(true);
  clock.advance(1);
  expect(await isKnown()).toBe(false);
  write();
  await changed;
});
