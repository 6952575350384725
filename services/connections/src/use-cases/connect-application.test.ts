import type { CredentialCheck } from '@fairlead/connector-runtime/call';
import type { AccountPermits } from '@fairlead/service-kit/permits/account-permits';
import { createAccountPermits } from '@fairlead/service-kit/permits/account-permits';
import { WAITING_LIMITS } from '@fairlead/service-kit/permits/permit-queue';
import { onePermit } from '@fairlead/service-kit/testing/permits';
import { expect, test, vi } from 'vitest';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { MAX_REFUSED_ATTEMPTS } from '../domain/connect-session.ts';
import { connection } from '../testing/builders.ts';
import { sessionCalls } from '../testing/session-calls.ts';
import { connectApplication } from './connect-application.ts';

const WRONG = { isSuccess: false, errorMessage: 'wrong', isUnauthorized: true } as const;

function world(
  over: Parameters<typeof sessionCalls>[0] = {},
  o: {
    readonly count?: number;
    readonly check?: CredentialCheck;
    readonly vendorPermits?: AccountPermits;
    readonly hangs?: boolean;
  } = {},
) {
  const calls = sessionCalls(over, {
    ...o,
    held: connection({
      id: 7,
      endUserId: 'customer-1',
      authenticationId: 1,
      connectionName: 'Kept',
      metadata: LazyJson.of({ a: 1 }),
    }),
  });
  const stored: unknown[] = [];
  const answer = Promise.withResolvers<void>();
  let asked = 0;
  const keep = (_ctx: unknown, ...what: unknown[]) => {
    stored.push(what);
    return Promise.resolve(connection());
  };
  const deps = {
    ...calls.deps,
    connections: { ...calls.deps.connections, nextId: () => Promise.resolve(9), insert: keep, replace: keep },
    signIns: { find: () => Promise.resolve(undefined) },
    vendorPermits: o.vendorPermits ?? onePermit(),
    runtime: {
      testCredential: async () => {
        asked += 1;
        if (o.hangs === true) await answer.promise;
        return o.check ?? { isSuccess: true as const };
      },
    },
    tokenClient: { clientCredentials: () => Promise.reject(new Error('unused')) },
  };
  const run = (authenticationId = 1) =>
    connectApplication(deps, calls.ctx, {
      applicationSlug: 'crm',
      authenticationId,
      fields: { apiToken: 't' },
      oauthState: undefined,
    });
  return { ...calls, run, stored, asked: () => asked, answer: answer.resolve };
}

test('a connection gets the end user, the metadata and the licence of the session, and completes it', async () => {
  const { run, stored, session } = world({
    metadata: LazyJson.of({ plan: 'gold' }),
    licenceStatus: 'none',
    maxConnections: 5,
  });
  await run();
  const { accountId } = session;
  expect(stored).toMatchObject([
    [
      accountId,
      {
        id: 9,
        endUserId: 'customer-1',
        connectionName: 'crm',
        metadata: LazyJson.of({ plan: 'gold' }),
        licence: { status: 'none' },
      },
      { maxConnections: 5, session: { sessionId: 'cs_1', connectsOnce: false } },
    ],
  ]);
});

test('a renewal keeps id, name and metadata, and needs no place', async () => {
  const { run, stored, session } = world({ connectionId: 7, maxConnections: 1 }, { count: 1 });
  await run();
  expect(stored).toMatchObject([
    [
      session.accountId,
      7,
      {
        details: { connectionName: 'Kept', metadata: LazyJson.of({ a: 1 }) },
        session: { sessionId: 'cs_1', connectsOnce: true },
      },
    ],
  ]);
});

test('what the vendor refuses is not stored, and is the session’s last error', async () => {
  const { run, stored, written, session } = world({}, { check: WRONG });
  expect(await run()).toEqual({ refusal: 'wrong' });
  expect(stored).toEqual([]);
  expect(written).toEqual([['saveLastError', session.accountId, session.id, 'wrong']]);
});

test('a session whose attempts the vendor refused too often asks the vendor no more; what it accepts is not counted', async () => {
  const accepting = world();
  for (let count = 0; count < MAX_REFUSED_ATTEMPTS + 2; count += 1) await accepting.run();
  expect(accepting.asked()).toBe(MAX_REFUSED_ATTEMPTS + 2);

  const busy = world({}, { check: { ...WRONG, isOverloaded: true } });
  for (let count = 0; count < MAX_REFUSED_ATTEMPTS + 2; count += 1)
    await expect(busy.run()).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });

  const { run, asked, written } = world({}, { check: WRONG });
  for (let count = 0; count < MAX_REFUSED_ATTEMPTS; count += 1)
    expect(await run()).toEqual({ refusal: 'wrong' });
  const refusal = '20 attempts of this session were refused, and it takes no more. Ask for a new link.';
  expect(await run()).toEqual({ refusal });
  expect(asked()).toBe(MAX_REFUSED_ATTEMPTS);
  expect(written.at(-1)).toMatchObject(['saveLastError', 'acc_1', 'cs_1', refusal]);
});

test('an end user without a place gets CONFLICT, a sign-in method without a state OAUTH_STATE_REQUIRED', async () => {
  await expect(world({ maxConnections: 1 }, { count: 1 }).run()).rejects.toMatchObject({ code: 'CONFLICT' });
  await expect(world().run(0)).rejects.toMatchObject({ code: 'OAUTH_STATE_REQUIRED' });
});

test('an end user whose vendor never answers leaves the turns of the account to other end users', async () => {
  const vendorPermits = createAccountPermits({ perAccount: 100, perPartition: 20, ...WAITING_LIMITS });
  const slow = world({}, { vendorPermits, hangs: true });
  const attempts = Array.from({ length: 20 }, () => slow.run().catch(() => {}));
  const other = world({ endUserId: 'customer-2' }, { vendorPermits });
  await vi.waitFor(() => expect(slow.asked()).toBe(4), { timeout: 90_000 });
  await other.run();
  expect(other.stored).toHaveLength(1);
  slow.answer();
  await Promise.all(attempts);
  vendorPermits.close();
});
