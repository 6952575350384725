import { CallFailure } from '@fairlead/connector-runtime/failure';
import { Secret } from '@fairlead/service-kit/secret';
import { onePermit } from '@fairlead/service-kit/testing/permits';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { FieldOptions } from '../domain/connection.ts';
import type { EndUserRules, NewConnection } from '../ports/connection-store.ts';
import { connection, connectorHead, field, NOW, oauthMethod, OWNER } from '../testing/builders.ts';
import { sessionCalls } from '../testing/session-calls.ts';
import { importConnection } from './import-connection.ts';
import type { ImportConnectionCommand } from './import-connection.ts';

const request = { method: 'GET', url: '/workspaces', query: {}, headers: {}, body: null } as const;
const workspace = field('workspace', {
  type: 'select',
  dynamicOptions: { request, itemsPointer: '', valuePointer: '/id', labelPointer: '/name' },
});

function world(o: { readonly fieldOptions?: () => Promise<FieldOptions> } = {}) {
  const stored: [NewConnection, EndUserRules | undefined][] = [];
  const { deps } = sessionCalls();
  const connections = {
    nextId: () => Promise.resolve(9),
    insert: (_ctx: unknown, _account: string, given: NewConnection, rules?: EndUserRules) => {
      stored.push([given, rules]);
      return Promise.resolve(connection({ id: given.id }));
    },
  };
  const head = connectorHead({ authenticationMethods: [oauthMethod({ fields: [workspace] })] });
  const runtime = { fieldOptions: () => o.fieldOptions?.() ?? Promise.resolve({}) };
  const catalog = o.fieldOptions ? { getConnector: () => Promise.resolve(head) } : deps.catalog;
  const run = (over: Partial<ImportConnectionCommand> = {}, found = deps.ownClients) =>
    importConnection(
      { ...deps, catalog, runtime, vendorPermits: onePermit(), ownClients: found, connections },
      testContext(OWNER),
      {
        applicationSlug: 'crm',
        connectionName: 'Moved',
        authenticationId: 0,
        provider: { kind: 'default' },
        endUserId: 'customer-1',
        accessToken: new Secret('access'),
        refreshToken: new Secret('refresh'),
        expiresAt: null,
        licenceStatus: 'none',
        maxConnections: 3,
        ...over,
      },
    );
  return { run, stored };
}

test('the tokens are stored for the end user, through the client that a sign-in would use', async () => {
  const { run, stored } = world();
  expect((await run()).id).toBe(9);
  expect(stored).toMatchObject([
    [
      {
        endUserId: 'customer-1',
        grant: 'authorizationCode',
        licence: { status: 'none' },
        credential: { authProviderId: 0, consumes: null, tokens: { obtainedAt: NOW, expiresAt: null } },
      },
      { maxConnections: 3 },
    ],
  ]);
});

test('the choices of the vendor are kept, without the token, and the first is taken; without an answer there are none', async () => {
  const answered = world({
    fieldOptions: () => Promise.resolve({ workspace: { a: 'A of access', b: 'B' } }),
  });
  await answered.run();
  expect(answered.stored[0]?.[0].credential).toMatchObject({
    fieldOptions: { workspace: { a: 'A of ***', b: 'B' } },
    fields: { plain: { workspace: 'a' }, secret: {} },
  });
  const refused = world({ fieldOptions: () => Promise.reject(new CallFailure('expired')) });
  await refused.run();
  expect(refused.stored[0]?.[0].credential).toMatchObject({ fieldOptions: {}, fields: { plain: {} } });
});

test('nothing is stored for a method without a sign-in or a client, or a token without length', async () => {
  const { run, stored } = world();
  const none = { find: () => undefined, methods: () => [] };
  await expect(run({}, none as never)).rejects.toMatchObject({ code: 'INVALID_AUTH_PROVIDER' });
  for (const [field, over] of [
    ['authenticationId', { authenticationId: 1 }],
    ['accessToken', { accessToken: new Secret('') }],
    ['refreshToken', { refreshToken: new Secret('x'.repeat(16_385)) }],
    ['endUserId', { endUserId: '' }],
  ] as const)
    await expect(run(over)).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field }] });
  expect(stored).toEqual([]);
});
