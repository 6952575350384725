import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { sessionCalls } from '../testing/session-calls.ts';
import { requirePlace } from './require-place.ts';

test('an end user with as many connections as allowed gets CONFLICT', async () => {
  const session = { maxConnections: 2 };
  const one = sessionCalls(session, { count: 1 });
  await expect(requirePlace(one.deps, testContext(), one.session)).resolves.toBeUndefined();
  const two = sessionCalls(session, { count: 2 });
  await expect(requirePlace(two.deps, testContext(), two.session)).rejects.toMatchObject({
    code: 'CONFLICT',
    message: 'An end user may have at most 2 connections. Delete one first.',
  });
});
