import { testContext } from '@fairlead/service-kit/testing/context';
import { describe, expect, test } from 'vitest';
import type { AuthProviderWithSecrets } from '../domain/auth-provider.ts';
import type { ProviderChoice } from '../domain/oauth-client.ts';
import {
  field,
  heldProviders,
  oauth2Scheme,
  oauthMethod,
  openedProvider,
  OWNER,
} from '../testing/builders.ts';
import { chooseClient } from './choose-client.ts';

const scheme = oauth2Scheme();
const method = oauthMethod({
  fields: [
    field(scheme.clientIdField, { isRequired: true, providerSlot: 'Key1' }),
    field(scheme.clientSecretField, { isRequired: true, isPassword: true, providerSlot: 'Key2' }),
    field('tenantUrl', { providerSlot: 'BaseUrl' }),
  ],
  scheme,
});

function choose(
  choice: ProviderChoice,
  o: { readonly held?: AuthProviderWithSecrets; readonly mayUse?: boolean; readonly hasOwn?: boolean } = {},
) {
  const own = { clientId: 'own-id', clientSecret: 'own-s3cr3t' };
  const deps = {
    authProviders: heldProviders(o.held),
    ownClients: { find: () => (o.hasOwn === false ? undefined : own) },
  };
  const ctx = testContext({ ...OWNER, permissions: o.mayUse === false ? [] : ['authProviders.use'] });
  return chooseClient(deps, ctx, { applicationSlug: 'crm', method }, choice);
}

const held = openedProvider({ values: { Key1: 'provider-id', BaseUrl: 'https://t.example' } });
const byId: ProviderChoice = { kind: 'provider', by: { id: 3 } };

describe('a named provider', () => {
  test.each([byId, { kind: 'provider', by: { name: 'Ours' } }] as const)(
    'gives its values to the fields that have its slots: %j',
    async (choice) => {
      expect(await choose(choice, { held })).toEqual({
        authProviderId: 3,
        fields: {
          [scheme.clientIdField]: 'provider-id',
          [scheme.clientSecretField]: 'provider-s3cr3t',
          tenantUrl: 'https://t.example',
        },
        secrets: ['provider-s3cr3t'],
        scopes: null,
        hasError: false,
        addressRevision: null,
      });
    },
  );

  test.each([
    ['does not exist', {}],
    ['is disabled', { held: openedProvider({ isEnabled: false }) }],
    ['the caller may not use', { held, mayUse: false }],
    ['is another account’s', { held: openedProvider({ accountId: 'acc_2' }) }],
  ])('that %s is NOT_FOUND', async (_what, o) => {
    await expect(choose(byId, o)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test.each([{ authenticationId: 2 }, { applicationSlug: 'other' }])(
    'of another method is INVALID_AUTH_PROVIDER: %j',
    async (over) => {
      await expect(choose(byId, { held: openedProvider(over) })).rejects.toMatchObject({
        code: 'INVALID_AUTH_PROVIDER',
      });
    },
  );
});

describe('without a choice', () => {
  const isDefault = openedProvider({ isDefault: true });
  test('the default provider is used by those who may use it', async () => {
    expect(await choose({ kind: 'default' }, { held: isDefault })).toMatchObject({ authProviderId: 3 });
  });

  test.each([
    ['there is no default', { held }],
    ['it is disabled', { held: openedProvider({ isDefault: true, isEnabled: false }) }],
    ['the caller may not use it', { held: isDefault, mayUse: false }],
  ])('the connector’s own client is used where %s', async (_what, o) => {
    expect(await choose({ kind: 'default' }, o)).toMatchObject({
      authProviderId: 0,
      fields: { [scheme.clientIdField]: 'own-id' },
    });
  });

  test('there may be none', async () => {
    expect(await choose({ kind: 'default' }, { hasOwn: false })).toBeUndefined();
  });
});

test('the connector’s own client may be asked for in spite of a default', async () => {
  const o = { held: openedProvider({ isDefault: true }) };
  expect(await choose({ kind: 'connector' }, o)).toMatchObject({ authProviderId: 0 });
});

test('a client in use stays in use when it is disabled, whoever asks', async () => {
  const o = { held: openedProvider({ isEnabled: false }), mayUse: false };
  expect(await choose({ kind: 'current', authProviderId: 3 }, o)).toMatchObject({ authProviderId: 3 });
});
