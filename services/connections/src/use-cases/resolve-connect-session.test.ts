import { Secret } from '@fairlead/service-kit/secret';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { ConnectSession } from '../domain/connect-session.ts';
import { hashSessionToken } from '../domain/connect-session.ts';
import { connection, NOW } from '../testing/builders.ts';
import { sessionCalls } from '../testing/session-calls.ts';
import { resolveConnectSession } from './resolve-connect-session.ts';

const token = new Secret('cst_token');
const gateway = testContext({ caller: { kind: 'service', service: 'gateway' } });

function world(over: Partial<ConnectSession>, endUserId = 'customer-1') {
  const { deps, session } = sessionCalls(over, { count: 3, held: connection({ id: 7, endUserId }) });
  const findByToken = (_ctx: unknown, hash: string) =>
    Promise.resolve(hash === hashSessionToken(token) ? session : undefined);
  return { ...deps, connectSessions: { findByToken } };
}

test('a token names its session, what is left to connect, and what is renewed', async () => {
  const resolved = await resolveConnectSession(world({ connectionId: 7 }), gateway, token);
  expect(resolved).toMatchObject({ isUsable: true, remainingConnections: 17, renews: { id: 7 } });
  const over = await resolveConnectSession(world({ endedAt: NOW }), gateway, token);
  expect([over.isUsable, over.renews]).toEqual([false, undefined]);
  const others = await resolveConnectSession(world({ connectionId: 7 }, 'customer-2'), gateway, token);
  expect(others.renews).toBeUndefined();
});

test('another token is NOT_FOUND, another caller FORBIDDEN', async () => {
  const wrong = new Secret('cst_wrong');
  await expect(resolveConnectSession(world({}), gateway, wrong)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(resolveConnectSession(world({}), testContext(), token)).rejects.toMatchObject({
    code: 'FORBIDDEN',
  });
});
