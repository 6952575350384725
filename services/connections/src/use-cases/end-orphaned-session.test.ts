import { ApiError } from '@fairlead/errors/api-error';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { ConnectSession } from '../domain/connect-session.ts';
import { NOW, OWNER } from '../testing/builders.ts';
import { sessionCalls } from '../testing/session-calls.ts';
import { endOrphanedSession } from './end-orphaned-session.ts';

const ctx = testContext(OWNER);

function world(over: Partial<ConnectSession> = {}, isOpenerThere = false) {
  const { deps, session, written, asked } = sessionCalls(over, { isOpenerThere });
  return { session, written, asked, end: () => endOrphanedSession(deps, ctx, session) };
}

test('an open session ends with the user or the key that opened it', async () => {
  const { session, asked, written, end } = world({ keyId: 'key_1' });
  expect(await end()).toEqual({ ...session, endedAt: NOW, endedBy: 'account' });
  expect(written).toEqual([['end', session.accountId, session.id, 'account', NOW]]);
  expect(asked).toEqual([[session.accountId, session.userId, 'key_1']]);
});

test('one of another credential asks for the user only, and goes on while they are there', async () => {
  const { session, asked, written, end } = world({ keyId: null }, true);
  expect(await end()).toBe(session);
  expect([asked, written]).toEqual([[[session.accountId, session.userId, undefined]], []]);
});

test('one reads as it is while nobody knows; another failure is not hidden', async () => {
  const { deps, session, written } = sessionCalls();
  const failing = (problem: Error) => ({ ...deps, findMember: () => Promise.reject(problem) });
  const away = failing(new ApiError('UNAVAILABLE', 'Identity is away.'));
  expect(await endOrphanedSession(away, ctx, session)).toBe(session);
  const mistaken = failing(new Error('Identity refused a lookup.'));
  await expect(endOrphanedSession(mistaken, ctx, session)).rejects.toThrow('refused a lookup');
  expect(written).toEqual([]);
});

test.each<[string, Partial<ConnectSession>]>([
  ['is completed', { connections: [{ connectionId: 7, connectionName: 'CRM', applicationSlug: 'crm' }] }],
  ['has ended', { endedAt: NOW }],
  ['has expired', { expiresAt: NOW }],
])('one that %s stays as it is, and nobody is asked', async (_what, over) => {
  const { session, asked, written, end } = world(over);
  expect(await end()).toBe(session);
  expect([asked, written]).toEqual([[], []]);
});
