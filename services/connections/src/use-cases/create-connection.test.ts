import type { ConnectorHead } from '@fairlead/connector-model/model';
import type { CredentialCheck } from '@fairlead/connector-runtime/call';
import { McpDiscoveryError } from '@fairlead/connector-runtime/runtime';
import { ApiError } from '@fairlead/errors/api-error';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { onePermit } from '@fairlead/service-kit/testing/permits';
import { describe, expect, test, vi } from 'vitest';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { NewConnection } from '../ports/connection-store.ts';
import {
  apiTokenMethod,
  connection,
  connectorHead,
  details,
  NOW,
  oauthMethod,
  OWNER,
  heldProviders,
} from '../testing/builders.ts';
import { sessionCalls } from '../testing/session-calls.ts';
import type { CreateConnectionCommand } from './create-connection.ts';
import { createConnection } from './create-connection.ts';

const ctx = testContext(OWNER);
const mcp = connectorHead({
  slug: 'mcp',
  kind: 'MCPClient',
  authenticationMethods: [apiTokenMethod({ isDefault: true })],
});

/** Records writes in order; writes in `fails` fail. */
function world(
  o: {
    head?: ConnectorHead;
    fails?: readonly string[];
    discover?: () => Promise<never>;
    check?: CredentialCheck;
  } = {},
) {
  const writes: string[] = [];
  const inserted: NewConnection[] = [];
  const write = (name: string, what: string): Promise<void> => {
    writes.push(`${name} ${what}`);
    return o.fails?.includes(name) === true
      ? Promise.reject(new ApiError('UNAVAILABLE', `${name} failed`))
      : Promise.resolve();
  };
  const testCredential = vi.fn(() => Promise.resolve(o.check ?? { isSuccess: true as const }));
  const deps = {
    ...sessionCalls().deps,
    catalog: {
      getConnector: () => Promise.resolve(o.head ?? connectorHead()),
      putApplication: (_ctx: unknown, { slug }: { readonly slug: string }) => write('put', slug),
      deleteApplication: (_ctx: unknown, slug: string) => write('remove', slug),
    },
    connections: {
      nextId: () => Promise.resolve(7),
      insert: async (_ctx: unknown, accountId: string, given: NewConnection) => {
        await write('insert', `${accountId}/${given.id}`);
        inserted.push(given);
        return connection({ kind: given.kind, applicationSlug: given.applicationSlug });
      },
      saveToolsRead: () => Promise.resolve(true),
      delete: async (_ctx: unknown, _accountId: string, id: number) => {
        await write('delete', String(id));
        return true;
      },
    },
    signIns: { find: () => Promise.resolve(undefined) },
    authProviders: heldProviders(),
    ownClients: { find: () => undefined },
    tokenClient: { clientCredentials: () => Promise.reject(new Error('Nobody grants tokens.')) },
    runtime: {
      testCredential,
      discoverMcpTools:
        o.discover ??
        (() => Promise.resolve({ serverName: 'Files', serverVersion: '1', toolsJson: Buffer.from('[]') })),
    },
    vendorPermits: onePermit(),
    clock: new ManualClock(NOW),
  };
  const create = (over: Partial<CreateConnectionCommand> = {}) =>
    createConnection(deps, ctx, {
      applicationSlug: 'crm',
      authenticationId: 1,
      details: details(),
      fields: { apiToken: 't' },
      oauthState: undefined,
      provider: { kind: 'default' },
      licenceStatus: 'active',
      isTested: false,
      ...over,
    });
  return { writes, inserted, testCredential, create };
}

describe('a connection', () => {
  test('is stored as given, in the account of the caller, with a licence that does not expire', async () => {
    const { inserted, create } = world();
    const given = details({ description: 'mine', metadata: LazyJson.of({ team: 'a' }) });
    await create({ details: given, licenceStatus: 'none' });
    expect(inserted).toMatchObject([
      {
        ...given,
        id: 7,
        accountId: OWNER.accountId,
        applicationSlug: 'crm',
        applicationName: 'CRM',
        kind: 'Regular',
        authenticationId: 1,
        authenticationName: 'API token',
        grant: 'fields',
        needsReauthentication: false,
        licence: { status: 'none', expiresAt: null },
        credential: { fields: { plain: {}, secret: { apiToken: 't' } } },
        createdAt: NOW,
      },
    ]);
  });

  test('is stored untested, or once the vendor has accepted its fields; refused with the words of the vendor', async () => {
    const plain = world();
    await plain.create();
    expect([plain.testCredential.mock.calls.length, plain.inserted.length]).toEqual([0, 1]);
    const tested = world();
    await tested.create({ isTested: true });
    expect([tested.testCredential.mock.calls.length, tested.inserted.length]).toEqual([1, 1]);
    const check = {
      isSuccess: false,
      errorMessage: 'the token t0k3n is wrong',
      isUnauthorized: true,
    } as const;
    const refused = world({ check });
    await expect(refused.create({ isTested: true, fields: { apiToken: 't0k3n' } })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'fields', issue: 'were refused by CRM: the token *** is wrong' }],
    });
    expect(refused.writes).toEqual([]);
  });

  test('is not created for an application of on-prem agents', async () => {
    const { writes, create } = world({ head: connectorHead({ kind: 'OPA' }) });
    await expect(create()).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'applicationSlug' }],
    });
    expect(writes).toEqual([]);
  });

  test('takes the default method of the application if none is named', async () => {
    const methods = [oauthMethod({ isDefault: false }), apiTokenMethod({ isDefault: true })];
    const { inserted, create } = world({ head: connectorHead({ authenticationMethods: methods }) });
    await create({ authenticationId: undefined });
    expect(inserted).toMatchObject([{ authenticationId: 1 }]);
  });

  test.each([
    ['details out of bounds', { details: details({ connectionName: '' }) }, 'VALIDATION_ERROR'],
    ['a field that the server derives', { fields: { ExternalOrgId: 'x' } }, 'INVALID_FIELD'],
    ['an unknown method', { authenticationId: 9 }, 'VALIDATION_ERROR'],
    ['fields that do not fit the method', { fields: {} }, 'VALIDATION_ERROR'],
    ['a sign-in method without its state', { authenticationId: 0, fields: {} }, 'OAUTH_STATE_REQUIRED'],
  ])('with %s is refused before anything is written', async (_name, over, code) => {
    const { writes, create } = world();
    await expect(create(over)).rejects.toMatchObject({ code });
    expect(writes).toEqual([]);
  });

  test('to an application that another connection created is refused: it would outlive its tools', async () => {
    const { writes, create } = world({ head: { ...mcp, slug: 'mcp-3' } });
    await expect(create()).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'applicationSlug' }],
    });
    expect(writes).toEqual([]);
  });
});

describe('a connection to an MCP server', () => {
  test('is stored with its own application, which is created after it', async () => {
    const { writes, inserted, create } = world({ head: mcp });
    await create();
    expect(writes).toEqual(['insert acc_1/7', 'put mcp-7']);
    expect(inserted).toMatchObject([
      { applicationSlug: 'mcp-7', applicationName: 'Files', kind: 'MCPClient' },
    ]);
  });

  test('whose server does not respond is VALIDATION_ERROR, and nothing is written', async () => {
    const discover = () => Promise.reject(new McpDiscoveryError('refused'));
    const { writes, create } = world({ head: mcp, discover });
    await expect(create()).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(writes).toEqual([]);
  });

  test('whose application cannot be created is rolled back, the application first', async () => {
    const { writes, create } = world({ head: mcp, fails: ['put'] });
    await expect(create()).rejects.toMatchObject({ message: 'put failed' });
    expect(writes).toEqual(['insert acc_1/7', 'put mcp-7', 'remove mcp-7', 'delete 7']);
  });

  test('that cannot be rolled back either stays, for its account to delete, and the first error is thrown', async () => {
    const { writes, create } = world({ head: mcp, fails: ['put', 'remove'] });
    await expect(create()).rejects.toMatchObject({ message: 'put failed' });
    expect(writes).toEqual(['insert acc_1/7', 'put mcp-7', 'remove mcp-7']);
  });
});
