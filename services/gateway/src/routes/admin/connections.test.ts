import { LicenceStatus } from '@fairlead/contracts/connections/v1/connection_pb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TEST_OWNER, call } from '@fairlead/rest-kit/testing/edge';
import { startGatewayEdge } from '../../testing/edge.ts';
import type { TestEdge } from '@fairlead/rest-kit/testing/edge';
import { startRemoteConnections } from '../../testing/remote-connections.ts';
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

describe('administration of connections', () => {
  test('every kind is listed', async () => {
    await call(edge, 'GET', '/admin/v1/connections');
    expect(remote.lastRequest()['kinds']).toEqual([]);
  });

  test('a licence is set by its name, with or without an end', async () => {
    const json = { status: 'active', expiresAt: '2027-01-01T00:00:00+01:00' };
    expect((await call(edge, 'PUT', '/admin/v1/connections/1/licence', { json })).status).toBe(200);
    expect(remote.lastRequest()).toMatchObject({
      id: 1,
      status: LicenceStatus.ACTIVE,
      expiresAt: { seconds: 1798758000n },
    });
    await call(edge, 'PUT', '/admin/v1/connections/1/licence', { json: { status: 'none', expiresAt: null } });
    expect(remote.lastRequest()['expiresAt']).toBeUndefined();
    const wrong = await call(edge, 'PUT', '/admin/v1/connections/1/licence', { json: { status: 'Active' } });
    expect(wrong.body).toMatchObject({
      errorCode: 'INVALID_ENUM_VALUE',
      message: 'status must be one of none, active, expired.',
    });
  });

  test.each(['member', 'developer'] as const)('a %s may not, even with RBAC off', async (role) => {
    const limited = await startGatewayEdge({
      routes: routeTable,
      principal: { ...TEST_OWNER, roles: [role] },
    });
    expect((await call(limited, 'GET', '/admin/v1/connections')).body['errorCode']).toBe('FORBIDDEN');
    await limited.close();
  });
});
