import { ApplicationKind } from '@fairlead/contracts/catalog/v1/application_pb';
import { ConnectionStatus, LicenceStatus } from '@fairlead/contracts/connections/v1/connection_pb';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { TEST_OWNER, call } from '@fairlead/rest-kit/testing/edge';
import { startGatewayEdge } from '../../testing/edge.ts';
import type { TestEdge } from '@fairlead/rest-kit/testing/edge';
import { REFUSED_NAME, startRemoteConnections } from '../../testing/remote-connections.ts';
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

describe('GET /v1/connections', () => {
  test('lists regular and key connections, 25 a page, on the caller’s behalf', async () => {
    const { status, body } = await call(edge, 'GET', '/v1/connections');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      totalCount: 1,
      offset: 0,
      top: 25,
      items: [{ id: 1, kind: 'Regular', status: 'Active' }],
    });
    expect(remote.lastRequest()).toMatchObject({
      page: { offset: 0, top: 25 },
      kinds: [ApplicationKind.REGULAR, ApplicationKind.KEY],
      caller: { kind: 'user', accountId: TEST_OWNER.accountId, userId: TEST_OWNER.userId },
    });
  });

  test('a record has every documented member; what is cleared reads null and {}', async () => {
    const { body } = await call(edge, 'GET', '/v1/connections/1');
    expect(body).toMatchObject({
      id: 1,
      connectionName: 'CRM',
      description: null,
      applicationSlug: 'sandbox-crm',
      applicationName: 'Sandbox CRM',
      kind: 'Regular',
      authenticationId: 1,
      authenticationName: 'API key',
      authProviderId: null,
      endUserId: null,
      isDefault: true,
      status: 'Active',
      licence: { status: 'active', expiresAt: null },
      fields: { apiToken: null },
      secretFields: ['apiToken'],
      metadata: {},
      createdAt: '2026-01-02T03:04:05.006Z',
      updatedAt: '2026-01-02T03:04:05.006Z',
    });
  });

  test.each(['key', 'KEY', 'Key'])('kind=%s is Key in any case', async (kind) => {
    await call(edge, 'GET', `/v1/connections?kind=${kind}`);
    expect(remote.lastRequest()['kinds']).toEqual([ApplicationKind.KEY]);
  });

  test('kind=MCPClient is accepted and gives an empty page', async () => {
    const { status, body } = await call(edge, 'GET', '/v1/connections?kind=mcpclient&top=5');
    expect([status, body['items'], body['totalCount'], body['top']]).toEqual([200, [], 0, 5]);
  });

  test('applicationSlug and status filter, alone and together', async () => {
    await call(edge, 'GET', '/v1/connections');
    const { applicationSlug, status } = remote.lastRequest();
    expect([applicationSlug, status]).toEqual([undefined, undefined]);
    await call(edge, 'GET', '/v1/connections?applicationSlug=crm&status=NeedsReauthentication');
    expect(remote.lastRequest()).toMatchObject({
      applicationSlug: 'crm',
      status: ConnectionStatus.NEEDS_REAUTHENTICATION,
    });
  });

  test('an unknown status is refused with the accepted ones, naming the parameter', async () => {
    const { body } = await call(edge, 'GET', '/v1/connections?status=active');
    expect(body).toMatchObject({ errorCode: 'INVALID_ENUM_VALUE', details: [{ field: 'status' }] });
    expect(body['message']).toContain('Active, NeedsReauthentication, Blocked');
  });

  test('endUserId filters', async () => {
    await call(edge, 'GET', '/v1/connections?endUserId=customer-1');
    expect(remote.lastRequest()).toMatchObject({ endUserId: 'customer-1' });
  });

  test('kind=OPA is refused and says where on-prem agents are', async () => {
    const { status, body } = await call(edge, 'GET', '/v1/connections?kind=opa');
    expect([status, body['errorCode']]).toEqual([400, 'INVALID_ENUM_VALUE']);
    expect(body['message']).toContain('/v1/on-prem-agents');
  });

  test('an unknown kind is refused with the accepted ones, naming the parameter', async () => {
    const { body } = await call(edge, 'GET', '/v1/connections?kind=bogus');
    expect(body).toMatchObject({ errorCode: 'INVALID_ENUM_VALUE', details: [{ field: 'kind' }] });
    expect(body['message']).toContain('Regular, Key, MCPClient');
  });
});

describe('one connection', () => {
  test.each([2, 3])('the detail of an MCP client connection or an on-prem agent is 404', async (id) => {
    const { status, body } = await call(edge, 'GET', `/v1/connections/${id}`);
    expect([status, body['message']]).toEqual([404, 'The connection does not exist.']);
  });

  test('an MCP client connection can be made the default, replaced, tested and deleted by id', async () => {
    expect((await call(edge, 'PUT', '/v1/connections/2/default')).body).toMatchObject({
      id: 2,
      kind: 'MCPClient',
    });
    const json = { connectionName: 'x' };
    expect((await call(edge, 'PUT', '/v1/connections/2', { json })).status).toBe(200);
    expect((await call(edge, 'POST', '/v1/connections/2/test')).body).toMatchObject({
      isSuccess: false,
      errorMessage: 'Key revoked.',
    });
    expect((await call(edge, 'DELETE', '/v1/connections/2')).status).toBe(204);
  });

  test('a test that succeeds has no error message', async () => {
    expect((await call(edge, 'POST', '/v1/connections/1/test')).body).toMatchObject({
      isSuccess: true,
      errorMessage: null,
    });
  });
});

describe('POST /v1/connections', () => {
  const valid = { applicationSlug: 'sandbox-crm', connectionName: 'CRM' };

  test('answers 201 with the record; what was left out stays absent', async () => {
    expect((await call(edge, 'POST', '/v1/connections', { json: valid })).status).toBe(201);
    expect(remote.lastRequest()).toMatchObject({
      applicationSlug: 'sandbox-crm',
      connectionName: 'CRM',
      fieldsJson: {},
      metadataJson: Buffer.from('{}'),
      licenceStatus: LicenceStatus.ACTIVE,
    });
    for (const absent of ['authenticationId', 'provider', 'oauthState', 'description'])
      expect(remote.lastRequest()[absent]).toBeUndefined();
  });

  test('the licence is the account’s default one', async () => {
    const principal = { ...TEST_OWNER, defaultLicence: 'none' } as const;
    const other = await startGatewayEdge({ routes: routeTable, services: remote.services, principal });
    onTestFinished(() => other.close());
    expect((await call(other, 'POST', '/v1/connections', { json: valid })).status).toBe(201);
    expect(remote.lastRequest()).toMatchObject({ licenceStatus: LicenceStatus.NONE });
  });

  test('a service’s field errors arrive with the path that the caller sent', async () => {
    const { body } = await call(edge, 'POST', '/v1/connections', {
      json: { ...valid, connectionName: REFUSED_NAME },
    });
    expect(body).toMatchObject({
      errorCode: 'VALIDATION_ERROR',
      details: [{ field: 'fields.apiToken', issue: 'is required' }],
    });
  });

  test('large members of fields pass on as their JSON, here and in a PUT', async () => {
    const rows = Array.from({ length: 20_000 }, (_row, at) => at);
    const json = { ...valid, fields: { rows, apiToken: 't' } };
    for (const [method, path] of [
      ['POST', '/v1/connections'],
      ['PUT', '/v1/connections/1'],
    ] as const) {
      remote.forget();
      await call(edge, method, path, { json });
      const { fields, fieldsJson } = remote.lastRequest();
      const members: unknown = fieldsJson ?? Reflect.get(Object(fields), 'membersJson');
      const texts = Object.entries(Object(members) as Record<string, Uint8Array>).map(([name, member]) => [
        name,
        Buffer.from(member).toString(),
      ]);
      expect(texts).toEqual([
        ['rows', JSON.stringify(rows)],
        ['apiToken', '"t"'],
      ]);
    }
  });

  test('metadata above 16 KiB is refused, however large it is', async () => {
    const metadata = { rows: Array.from({ length: 20_000 }, (_row, at) => at) };
    const { body } = await call(edge, 'POST', '/v1/connections', { json: { ...valid, metadata } });
    expect(body).toMatchObject({ errorCode: 'VALIDATION_ERROR', details: [{ field: 'metadata' }] });
    expect(remote.lastRequest()).toEqual({});
  });

  test('an oauthState that is empty or null counts as absent', async () => {
    for (const oauthState of ['', null]) {
      await call(edge, 'POST', '/v1/connections', { json: { ...valid, oauthState } });
      expect(remote.lastRequest()['connectionName']).toBe('CRM');
      expect(remote.lastRequest()['oauthState']).toBeUndefined();
    }
  });

  test.each([
    ['connectionName', { connectionName: '' }],
    ['connectionName', { connectionName: 'x'.repeat(201) }],
    ['connectionName', { connectionName: undefined }],
    ['description', { description: 'x'.repeat(2001) }],
    ['metadata', { metadata: { text: 'x'.repeat(16 * 1024) } }],
    ['metadata', { metadata: [] }],
    ['metadata', { metadata: { items: [{ deep: Array(20_000).fill(1) }] } }],
    ['metadata', { metadata: { ['n'.repeat(17_000)]: 1 } }],
    ['fields', { fields: null }],
    ['authenticationId', { authenticationId: '1' }],
    ['authenticationId', { authenticationId: null }],
    ['applicationSlug', { applicationSlug: 7 }],
  ])('a wrong %s is a VALIDATION_ERROR that names it', async (field, wrong) => {
    const { status, body } = await call(edge, 'POST', '/v1/connections', { json: { ...valid, ...wrong } });
    expect([status, body['errorCode']]).toEqual([400, 'VALIDATION_ERROR']);
    expect(body['details']).toMatchObject([{ field }]);
  });

  test('200 characters of any script fit in a name', async () => {
    expect(
      (await call(edge, 'POST', '/v1/connections', { json: { ...valid, connectionName: '😀'.repeat(200) } }))
        .status,
    ).toBe(201);
  });

  test.each([
    ['', undefined],
    ['?authProviderId=0', { case: 'connector', value: true }],
    ['?authProviderId=7', { case: 'providerId', value: 7 }],
    ['?authProvider=none', { case: 'connector', value: true }],
    ['?authProvider=7', { case: 'providerId', value: 7 }],
    ['?authProvider=My%20app', { case: 'providerName', value: 'My app' }],
  ])('the query %j chooses its provider', async (query, choice) => {
    await call(edge, 'POST', `/v1/connections${query}`, { json: valid });
    expect(remote.lastProvider()).toEqual(choice);
  });

  test.each([
    '?authProviderId=1&authProvider=x',
    '?authProviderId=-1',
    '?authProviderId=x',
    '?authProvider=',
    '?authProvider=99999999999',
  ])('the query %j is a VALIDATION_ERROR', async (query) => {
    expect((await call(edge, 'POST', `/v1/connections${query}`, { json: valid })).body['errorCode']).toBe(
      'VALIDATION_ERROR',
    );
  });
});

describe('PUT /v1/connections/{connectionId}', () => {
  test('absent fields stay absent and empty ones are sent, for they replace', async () => {
    await call(edge, 'PUT', '/v1/connections/1', { json: { connectionName: 'x' } });
    expect(remote.lastRequest()['fields']).toBeUndefined();
    await call(edge, 'PUT', '/v1/connections/1', {
      json: { connectionName: 'x', fields: {}, description: null },
    });
    expect(remote.lastRequest()['fields']).toMatchObject({ membersJson: {} });
    expect(remote.lastRequest()['description']).toBeUndefined();
  });

  test('an empty description is none, an empty state one that is missing', async () => {
    for (const oauthState of ['', null]) {
      const json = { connectionName: 'x', description: '', oauthState };
      await call(edge, 'PUT', '/v1/connections/1', { json });
      expect([remote.lastRequest()['description'], remote.lastRequest()['oauthState']]).toEqual([
        undefined,
        '',
      ]);
    }
  });
});

test('with every service away each route is a 503 envelope', async () => {
  const lonely = await startGatewayEdge({ routes: routeTable });
  const { status, body } = await call(lonely, 'GET', '/v1/connections');
  expect([status, body['errorCode']]).toEqual([503, 'UNAVAILABLE']);
  await lonely.close();
});
