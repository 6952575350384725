import { Secret } from '@fairlead/service-kit/secret';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import {
  connection,
  connectorHead,
  heldProviders,
  openedProvider,
  OWNER,
  providerMethod,
  tokens,
} from '../testing/builders.ts';
import { fillCredential } from './fill-credential.ts';

/** Fills the credential of a connection that uses this auth provider; the account has provider 3. */
async function fill(
  authProviderId: number | null,
  { clientId = 'provider-id', clientSecret = 'provider-s3cr3t' } = {},
  addressRevision: string | null = null,
  grantedScopes: readonly string[] | null = null,
) {
  let asked = 0;
  const filled = await fillCredential(
    {
      catalog: {
        getConnector() {
          asked += 1;
          return Promise.resolve(connectorHead({ authenticationMethods: [providerMethod()] }));
        },
      },
      authProviders: heldProviders(openedProvider({ values: { Key1: clientId } }, { Key2: clientSecret })),
      ownClients: { find: () => undefined },
    },
    testContext(OWNER),
    {
      connection: connection({ authProviderId, addressRevision, grantedScopes, authenticationId: 0 }),
      credential: { secretFields: new Secret({ own: 's' }), tokens: tokens() },
    },
  );
  return { fields: {}, secrets: [], ...filled, asked };
}

test('a credential without an auth provider is its own, and the catalogue is not asked', async () => {
  for (const none of [null, 0]) {
    const { fields, accessToken, asked } = await fill(none);
    expect({ own: fields['own'], client: fields['clientId'], accessToken, asked }).toEqual({
      own: 's',
      client: undefined,
      accessToken: 'access',
      asked: 0,
    });
  }
});

test('the fields and the secrets of its auth provider are added', async () => {
  const { fields, secrets } = await fill(3);
  expect(fields).toMatchObject({ own: 's', clientId: 'provider-id', clientSecret: 'provider-s3cr3t' });
  expect(secrets).toContain('provider-s3cr3t');
  expect((await fill(4)).secrets).not.toContain('provider-s3cr3t');
});

test('a credential that was granted at a former address of its auth provider is not filled', async () => {
  expect(await fill(3, {}, 'a former one')).toEqual({ fields: {}, secrets: [], asked: 1 });
});

test('a credential says which scopes were granted, with an auth provider too; nothing where a method has none', async () => {
  for (const authProviderId of [null, 3])
    expect(await fill(authProviderId, {}, null, ['read'])).toMatchObject({ grantedScopes: ['read'] });
  expect(await fill(null)).not.toHaveProperty('grantedScopes');
});

test('the revision of a credential follows what its auth provider adds that is not secret', async () => {
  const own = await fill(null);
  expect(own.revision).toBe('1');
  const provided = await fill(3);
  expect(provided.revision).toMatch(/^1\../);
  const corrected = await fill(3, { clientSecret: 'corrected' });
  expect(corrected.secrets).toContain('corrected');
  expect(corrected.revision).toBe(provided.revision);
  expect((await fill(3, { clientId: 'another' })).revision).not.toBe(provided.revision);
});
