import type { Credential } from '@fairlead/connector-runtime/call';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { Target } from '../../domain/target.ts';
import type { CredentialResult } from '../../ports/connections.ts';
import { authenticationMethod, connectorHead, oauthMethod, toolDefinition } from '../../testing/fixtures.ts';
import { catalogOf, connection, connectionsOf } from '../../testing/tool-calls.ts';
import { openCallCredential } from './open-call-credential.ts';

const definition = toolDefinition();
const inputs = { fields: { name: 'Ada' }, filters: [], sorts: [], top: 5, offset: undefined };
const opened: CredentialResult = {
  kind: 'credential',
  credential: { version: 1, fields: { apiToken: 't' }, secrets: ['t'] },
};

/** Opens a call with a connection of this method; the application has methods 0 and 1. */
function open(authenticationId: number, credential: CredentialResult, came?: Credential, isPlatform = true) {
  const only = connection({ authenticationId, ...(came && { credential: came }) });
  const connector = connectorHead({ authenticationMethods: [oauthMethod(), authenticationMethod()] });
  const target: Target = {
    tool: { applicationSlug: 'crm', isPlatform, definition },
    connection: only,
    resolution: 'default',
  };
  const deps = { catalog: catalogOf(definition, connector), connections: connectionsOf(only, credential) };
  return openCallCredential(deps, testContext(), target, inputs);
}

test('a call has the method of its connection, the opened credential and the checked inputs', async () => {
  expect(await open(1, opened)).toMatchObject({
    kind: 'call',
    call: { method: { authenticationId: 1 }, credential: { version: 1 }, tool: definition, ...inputs },
  });
  expect(await open(0, opened)).toMatchObject({ call: { method: { authenticationId: 0 } } });
});

test('a credential that came with the connection is not asked for again', async () => {
  const credential = { version: 2, fields: {}, secrets: ['u'] };
  expect(await open(1, { kind: 'none', errorMessage: 'Asked.' }, credential)).toMatchObject({
    call: { credential },
  });
});

test('if the connection has no credential, its reason is returned', async () => {
  const none: CredentialResult = { kind: 'none', errorMessage: 'Sign in again.' };
  expect(await open(1, none)).toEqual(none);
});

test('a method that the application no longer offers is a reason, not a defect', async () => {
  expect(await open(2, opened)).toMatchObject({
    kind: 'none',
    errorMessage: expect.stringContaining('no longer offers') as string,
  });
});

test('the runtime repeats no call because of what another side says of its own tool', async () => {
  expect(await open(1, opened)).toMatchObject({ call: { tool: { retryClass: 'readOnly' } } });
  expect(await open(1, opened, undefined, false)).toMatchObject({ call: { tool: { retryClass: 'unsafe' } } });
});
