import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { startedCall } from '../../testing/started-calls.ts';
import { connection, connectionsOf } from '../../testing/tool-calls.ts';
import { readConnectionAgain } from './read-connection-again.ts';

const again = (isLicensed: boolean) => {
  const stored = connection({ isLicensed, authenticationId: 2 });
  const connections = connectionsOf(stored, { kind: 'none', errorMessage: '' });
  return readConnectionAgain({ connections }, testContext(), startedCall().target);
};

test('a target has its connection as it is now', async () => {
  expect(await again(true)).toMatchObject({ connection: { authenticationId: 2 }, resolution: 'default' });
});

test('a connection that has lost its licence is refused', async () => {
  await expect(again(false)).rejects.toMatchObject({ code: 'CONNECTION_BLOCKED' });
});
