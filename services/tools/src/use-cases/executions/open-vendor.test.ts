import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { CredentialResult } from '../../ports/connections.ts';
import { authenticationMethod, connectorHead, oauthMethod, toolDefinition } from '../../testing/fixtures.ts';
import { catalogOf, connection, connectionsOf } from '../../testing/tool-calls.ts';
import { openVendor } from './open-vendor.ts';

const credential = { version: 1, fields: { apiToken: 't' }, secrets: ['t'] };

/** Opens a connection of this method; the application has methods 0 and 1. */
function open(authenticationId: number, result: CredentialResult = { kind: 'credential', credential }) {
  const only = connection({ authenticationId });
  const connector = connectorHead({ authenticationMethods: [oauthMethod(), authenticationMethod()] });
  const deps = {
    catalog: catalogOf(toolDefinition(), connector),
    connections: connectionsOf(only, result),
  };
  return openVendor(deps, testContext(), only);
}

test('a connection is opened with its own method and credential', async () => {
  expect(await open(1)).toMatchObject({
    kind: 'vendor',
    vendor: { method: { authenticationId: 1 }, credential, connector: { slug: 'crm' } },
  });
});

test('without a credential or its method, the reason is returned', async () => {
  expect(await open(1, { kind: 'none', errorMessage: 'Sign in again.' })).toMatchObject({
    errorMessage: 'Sign in again.',
  });
  expect(await open(2)).toMatchObject({ kind: 'none' });
});
