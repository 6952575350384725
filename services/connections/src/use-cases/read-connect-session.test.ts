import { Secret } from '@fairlead/service-kit/secret';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { hashSessionToken } from '../domain/connect-session.ts';
import { NOW } from '../testing/builders.ts';
import { sessionCalls } from '../testing/session-calls.ts';
import { readConnectSession } from './read-connect-session.ts';

const token = new Secret('cst_token');
const platform = testContext({ caller: { kind: 'service', service: 'connections' } });

function world(isOpenerThere = true) {
  const { deps, session } = sessionCalls({}, { isOpenerThere });
  const findByToken = (_ctx: unknown, hash: string) =>
    Promise.resolve(hash === hashSessionToken(token) ? session : undefined);
  return { deps: { ...deps, connectSessions: { ...deps.connectSessions, findByToken } }, session };
}

test('a token names its session, which ends with its opener', async () => {
  const { deps, session } = world();
  expect(await readConnectSession(deps, platform, token)).toBe(session);
  expect(await readConnectSession(world(false).deps, platform, token)).toMatchObject({ endedAt: NOW });
});

test('another token is NOT_FOUND, another caller FORBIDDEN', async () => {
  const { deps } = world();
  const wrong = new Secret('cst_wrong');
  await expect(readConnectSession(deps, platform, wrong)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(readConnectSession(deps, testContext(), token)).rejects.toMatchObject({ code: 'FORBIDDEN' });
});
