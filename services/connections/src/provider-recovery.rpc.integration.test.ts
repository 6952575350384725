import type { RequestContext } from '@fairlead/service-kit/context/context';
import { testContext } from '@fairlead/service-kit/testing/context';
import { ConnectionStatus } from '@fairlead/contracts/connections/v1/connection_pb';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { ConnectionDocument } from './storage/connection.collection.ts';
import {
  authorize,
  browserContext,
  create,
  createCrmAuthProvider,
  credentialOf,
  otherClient,
  required,
  startWorld,
  tokenCalls,
} from './testing/world.ts';
import type { World } from './testing/world.ts';

/**
 * Number of connections. A larger test: `CONNECTIONS=1000 npm test -- integration
 * services/connections/src/provider-recovery.rpc.integration.test.ts`.
 */
const CONNECTIONS = Number(process.env['CONNECTIONS'] ?? '15');
const AT_ONCE = 10;
const WHILE_KEPT = { timeout: 90_000 + CONNECTIONS * 300, interval: 50 };
const HOUR_MS = 3_600_000;

let world: World;
let ctx: RequestContext;
beforeAll(async () => {
  world = await startWorld(inject('mongodbUri'), { count: 2 });
  ctx = testContext({ permissions: ['authProviders.use'] });
});
afterAll(() => world.close());

/** Runs `each` for all items with limited concurrency; results are in the order of the items. */
async function forEach<T, R>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    const some = items.slice(at, at + AT_ONCE);
    results.push(...(await Promise.all(some.map((item, index) => work(item, at + index)))));
  }
  return results;
}

async function connectThrough(providerId: number): Promise<number> {
  const { state } = await world.instance.signIns.startSignIn(ctx, {
    applicationSlug: 'sandbox-crm',
    authenticationId: 0,
    provider: { choice: { case: 'providerId', value: providerId } },
  });
  await world.instance.pages.completeSignIn(browserContext(), await authorize(world, state));
  const { id } = await create(world, ctx, { authenticationId: 0, fields: {}, oauthState: state });
  return id;
}

const setSecret = (id: number, Key2: string) =>
  world.instance.authProviders.updateAuthProvider(ctx, { id, values: { Key2 } });
const lastError = async (id: number): Promise<string | undefined> =>
  (await world.instance.authProviders.getAuthProvider(ctx, { id })).authProvider?.lastError;

const refreshes = async (): Promise<number> => (await tokenCalls(world))['refresh_token'] ?? 0;
const failing = (): Promise<number> =>
  world.db
    .collection<ConnectionDocument>('connections')
    .countDocuments({ 'credential.failingSince': { $type: 'date' } });

/** Advances the clock by a second, in which the keeper makes ten requests to a vendor. */
async function inASecond<T>(look: () => Promise<T>): Promise<T> {
  world.clock.advance(1_000);
  return await look();
}

/** Number of connections that are not Active, and of those whose renewal fails. */
async function findTroubled(ids: readonly number[]): Promise<{ inactive: number; failing: number }> {
  const connections = await forEach(ids, async (id) =>
    required((await world.instance.connections.getConnection(ctx, { id })).connection),
  );
  const inactive = connections.filter(({ status }) => status !== ConnectionStatus.ACTIVE).length;
  return { inactive, failing: await failing() };
}

test(
  `a provider’s wrong secret leaves its ${CONNECTIONS} connections Active; once it is corrected all work again with nobody’s help`,
  { timeout: 300_000 + CONNECTIONS * 900 },
  async () => {
    const { id: providerId } = await createCrmAuthProvider(world, ctx);
    const ids = await forEach(Array.from({ length: CONNECTIONS }), () => connectThrough(providerId));
    await setSecret(providerId, 'not-the-secret');

    // Callers get the reason, each time.
    world.clock.advance(HOUR_MS);
    const outcomes = await forEach(ids, async (connectionId, index) => {
      const { credentials } = required(world.instances[index % 2]);
      return (await credentials.getCredentials(ctx, { connectionId })).outcome.case;
    });
    expect(new Set(outcomes)).toEqual(new Set(['unavailable']));
    expect(await lastError(providerId)).toMatch(/client/);
    expect(await findTroubled(ids)).toEqual({ inactive: 0, failing: CONNECTIONS });

    // The keeper's hourly attempts change nothing.
    const before = await refreshes();
    world.clock.advance(HOUR_MS);
    await expect
      .poll(async () => (await inASecond(refreshes)) - before, WHILE_KEPT)
      .toBeGreaterThanOrEqual(CONNECTIONS);
    expect(await findTroubled(ids)).toEqual({ inactive: 0, failing: CONNECTIONS });

    await setSecret(providerId, otherClient.clientSecret);
    world.clock.advance(HOUR_MS);
    await expect.poll(() => inASecond(failing), WHILE_KEPT).toBe(0);
    expect(await findTroubled(ids)).toEqual({ inactive: 0, failing: 0 });
    expect(await lastError(providerId)).toBeUndefined();
    const tokens = await forEach(
      ids,
      async (id, index) => (await credentialOf(required(world.instances[index % 2]), ctx, id)).accessToken,
    );
    expect(new Set(tokens).size).toBe(CONNECTIONS);
  },
);
