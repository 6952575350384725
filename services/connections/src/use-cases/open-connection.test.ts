import { ManualClock } from '@fairlead/service-kit/clock';
import { Secret } from '@fairlead/service-kit/secret';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { Connection } from '../domain/connection.ts';
import type { Tokens } from '../domain/credential.ts';
import { connection, connectorHead, heldProviders, NOW, OWNER, tokens } from '../testing/builders.ts';
import { openConnection } from './open-connection.ts';

type Deps = Parameters<typeof openConnection>[0];

const ctx = testContext(OWNER);

/** An account with one connection; counts openings of its credential. */
function world(
  o: { readonly connection?: Partial<Connection>; readonly tokens?: Partial<Tokens> | null } = {},
) {
  const stored = connection(o.connection);
  let openings = 0;
  const isNamed = (reference: Parameters<Deps['credentials']['find']>[2]): boolean =>
    reference.kind === 'id'
      ? reference.id === stored.id
      : reference.applicationSlug === stored.applicationSlug && stored.endUserId === null;
  const deps: Deps = {
    credentials: {
      find: (_ctx, accountId, reference) =>
        Promise.resolve(
          accountId === stored.accountId && isNamed(reference)
            ? {
                connection: stored,
                open() {
                  openings += 1;
                  const held = o.tokens === null ? null : tokens(o.tokens);
                  return Promise.resolve({
                    connection: stored,
                    credential: { secretFields: new Secret({}), tokens: held },
                  });
                },
              }
            : undefined,
        ),
    },
    connections: {
      find: () => Promise.reject(new Error('The connection is read twice.')),
      findDefaults: () => Promise.reject(new Error('The connection is read twice.')),
      findOfEndUser: (_ctx, _accountId, endUserId) =>
        Promise.resolve(stored.endUserId === endUserId ? [stored] : []),
    },
    catalog: { getConnector: () => Promise.resolve(connectorHead()) },
    authProviders: heldProviders(),
    ownClients: { find: () => undefined },
    clock: new ManualClock(NOW),
  };
  return { deps, openings: () => openings };
}

const byId = { kind: 'id', id: 7 } as const;
const byDefault = { kind: 'application', applicationSlug: 'crm' } as const;

test.each([byId, byDefault])('a connection comes with its credential, from one read', async (reference) => {
  expect(await openConnection(world().deps, ctx, reference)).toMatchObject({
    connection: { id: 7 },
    credential: { accessToken: 'access' },
  });
});

test.each([
  ['none', { status: 'none', expiresAt: null }],
  ['one that has expired', { status: 'active', expiresAt: NOW }],
] as const)('with the licence %s nothing is opened', async (_name, licence) => {
  const { deps, openings } = world({ connection: { licence } });
  expect(await openConnection(deps, ctx, byId)).toMatchObject({
    connection: { id: 7 },
    credential: undefined,
  });
  expect(openings()).toBe(0);
});

test.each([
  ['has to be renewed', { tokens: { expiresAt: NOW } }],
  [
    'is due',
    {
      tokens: { obtainedAt: new Date(NOW.getTime() - 3_599_000), expiresAt: new Date(NOW.getTime() + 1_000) },
    },
  ],
  ['was refused', { connection: { needsReauthentication: true } }],
])('a credential that %s is left to getCredentials', async (_name, o) => {
  expect(await openConnection(world(o).deps, ctx, byId)).toMatchObject({ credential: undefined });
});

test('another account’s and an unknown one are NOT_FOUND, an application without a default NO_DEFAULT_CONNECTION', async () => {
  const { deps } = world();
  for (const refused of [
    openConnection(deps, testContext(), byId),
    openConnection(deps, ctx, { kind: 'id', id: 8 }),
    openConnection(deps, ctx, byId, 'customer-1'),
  ])
    await expect(refused).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(
    openConnection(deps, ctx, { kind: 'application', applicationSlug: 'erp' }),
  ).rejects.toMatchObject({
    code: 'NO_DEFAULT_CONNECTION',
  });
});

test('for an end user only theirs is opened', async () => {
  const { deps } = world({ connection: { endUserId: 'customer-1' } });
  for (const reference of [byId, byDefault])
    expect(await openConnection(deps, ctx, reference, 'customer-1')).toMatchObject({
      connection: { id: 7 },
      credential: { accessToken: 'access' },
    });
  await expect(openConnection(deps, ctx, byId, 'customer-2')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(openConnection(deps, ctx, byDefault, 'customer-2')).rejects.toMatchObject({
    code: 'NO_DEFAULT_CONNECTION',
  });
});
