import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call } from '@fairlead/rest-kit/testing/edge';
import { startGatewayEdge } from '../../testing/edge.ts';
import type { TestEdge } from '@fairlead/rest-kit/testing/edge';
import { SIGN_IN_STATE, startRemoteConnections } from '../../testing/remote-connections.ts';
import type { RemoteConnections } from '../../testing/remote-connections.ts';
import { routeTable } from '../route-table.ts';

let remote: RemoteConnections;
let edge: TestEdge;
beforeAll(async () => {
  remote = await startRemoteConnections();
  edge = await startGatewayEdge({ routes: routeTable, services: remote.services });
});
beforeEach(() => remote.forget());
afterAll(async () => {
  await edge.close();
  await remote.close();
});

describe('sign-in', () => {
  test.each([
    [{}, undefined],
    [{ authProviderId: 0 }, { case: 'connector', value: true }],
    [{ authProviderId: 3 }, { case: 'providerId', value: 3 }],
  ])('the body %j chooses its provider', async (choice, expected) => {
    const json = { applicationSlug: 'sandbox-crm', authenticationId: 0, ...choice };
    const { status, body } = await call(edge, 'POST', '/v1/connections/get-sign-in-url', { json });
    expect([status, body['state']]).toEqual([200, SIGN_IN_STATE]);
    expect(remote.lastProvider()).toEqual(expected);
  });

  test.each([
    { authProviderId: null },
    { authProvider: null },
    { authProviderId: 1, authProvider: 'x' },
    { authenticationId: '0' },
  ])('%j is a VALIDATION_ERROR', async (wrong) => {
    const json = { applicationSlug: 'sandbox-crm', authenticationId: 0, ...wrong };
    expect((await call(edge, 'POST', '/v1/connections/get-sign-in-url', { json })).body['errorCode']).toBe(
      'VALIDATION_ERROR',
    );
  });

  test('the poll answers null while pending, then what was signed in to', async () => {
    const pending = await call(edge, 'GET', `/v1/connections/access-token/${SIGN_IN_STATE}`);
    expect([pending.status, pending.body['text']]).toEqual([200, 'null']);
    remote.completeSignIn();
    expect((await call(edge, 'GET', `/v1/connections/access-token/${SIGN_IN_STATE}`)).body).toMatchObject({
      status: 'completed',
      connectionData: {
        applicationSlug: 'sandbox-crm',
        authenticationId: 0,
        authProviderId: 0,
        suggestedName: 'Olga',
        grantedScopes: ['a'],
      },
      fieldOptions: {},
    });
  });

  test('a malformed state is OAUTH_STATE_EXPIRED, not 404', async () => {
    const { status, body } = await call(edge, 'GET', '/v1/connections/access-token/not-a-guid');
    expect([status, body['errorCode']]).toEqual([400, 'OAUTH_STATE_EXPIRED']);
  });
});
