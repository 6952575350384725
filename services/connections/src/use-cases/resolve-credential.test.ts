import type { AuthenticationMethod } from '@fairlead/connector-model/model';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { describe, expect, test } from 'vitest';
import type { SignIn } from '../domain/sign-in.ts';
import {
  apiTokenMethod,
  completedSignIn,
  field,
  NOW,
  oauth2Scheme,
  oauthMethod,
  OWNER,
  signInHead,
  heldProviders,
} from '../testing/builders.ts';
import type { CredentialInput } from './resolve-credential.ts';
import { resolveCredential } from './resolve-credential.ts';

const ctx = testContext(OWNER);
const client = { clientId: 'own', clientSecret: 'own-s3cr3t' };

function resolve(
  method: AuthenticationMethod,
  given: Partial<CredentialInput>,
  o: { readonly signIn?: SignIn; readonly hasOwnClient?: boolean } = {},
) {
  const deps = {
    signIns: { find: () => Promise.resolve(o.signIn) },
    authProviders: heldProviders(),
    ownClients: { find: () => (o.hasOwnClient === true ? client : undefined) },
    clock: new ManualClock(NOW),
  };
  return resolveCredential(deps, ctx, {
    applicationSlug: 'crm',
    method,
    oauthState: undefined,
    provider: { kind: 'default' },
    fields: {},
    ...given,
  });
}

describe('a method without a sign-in', () => {
  test('takes its fields, with the secret ones split off, and consumes nothing', async () => {
    expect(await resolve(apiTokenMethod(), { fields: { apiToken: 't' } })).toEqual({
      fields: { plain: {}, secret: { apiToken: 't' } },
      fieldOptions: {},
      grantedScopes: null,
      tokens: null,
      authProviderId: null,
      addressRevision: null,
      consumes: null,
    });
  });

  test('refuses a state and wrong fields', async () => {
    for (const given of [{ fields: { apiToken: 't' }, oauthState: 'x' }, { fields: { token: 't' } }]) {
      await expect(resolve(apiTokenMethod(), given)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    }
  });
});

describe('a sign-in method', () => {
  const options = { workspace: { a: 'A', b: 'B' } };
  const signIn = completedSignIn({ fieldOptions: options });
  const { state: oauthState } = signIn;

  test('takes the tokens of the completed sign-in, which the write will consume, and a choice among its options', async () => {
    const resolved = await resolve(oauthMethod(), { oauthState, fields: { workspace: 'b' } }, { signIn });
    expect(resolved).toEqual({
      fields: { plain: { workspace: 'b' }, secret: {} },
      fieldOptions: options,
      vendor: 'vendor.example',
      tokens: signIn.outcome.tokens,
      grantedScopes: signIn.outcome.grantedScopes,
      authProviderId: 0,
      addressRevision: null,
      consumes: oauthState,
    });
  });

  test('asks for the fields once the options are known', async () => {
    const fields = ({ outcome }: typeof signIn) => ({
      workspace: Object.keys(outcome.fieldOptions['workspace'] ?? {})[1] ?? '',
    });
    const resolved = await resolve(oauthMethod(), { oauthState, fields }, { signIn });
    expect(resolved.fields.plain).toEqual({ workspace: 'b' });
  });

  test.each([
    ['without a state', undefined, signIn, 'OAUTH_STATE_REQUIRED'],
    ['with an empty state', '', signIn, 'OAUTH_STATE_REQUIRED'],
    ['with a text that is no state', 'x', signIn, 'OAUTH_STATE_EXPIRED'],
    ['with an unknown state', oauthState, undefined, 'OAUTH_STATE_EXPIRED'],
    [
      'with a pending state',
      oauthState,
      { ...signInHead(), status: 'pending' } as const,
      'OAUTH_STATE_EXPIRED',
    ],
    [
      'with a state of another application',
      oauthState,
      { ...signIn, applicationSlug: 'erp' },
      'VALIDATION_ERROR',
    ],
    ['with a state of another method', oauthState, { ...signIn, authenticationId: 3 }, 'VALIDATION_ERROR'],
  ])('%s is refused', async (_name, given, stored, code) => {
    const o = stored === undefined ? {} : { signIn: stored };
    await expect(resolve(oauthMethod(), { oauthState: given }, o)).rejects.toMatchObject({ code });
  });
});

describe('client credentials', () => {
  const method = oauthMethod({
    fields: [
      field('clientId', { isRequired: true }),
      field('clientSecret', { isRequired: true, isPassword: true }),
    ],
    scheme: oauth2Scheme({ grant: 'clientCredentials' }),
  });
  const fields = { clientId: 'mine', clientSecret: 's' };

  test('of the own client need no fields; given ones take precedence over the default choice', async () => {
    const own = await resolve(method, {}, { hasOwnClient: true });
    expect(own).toMatchObject({ authProviderId: 0, fields: { plain: {}, secret: {} } });
    const given = await resolve(method, { fields }, { hasOwnClient: true });
    expect(given).toMatchObject({
      authProviderId: null,
      addressRevision: null,
      fields: { plain: { clientId: 'mine' }, secret: { clientSecret: 's' } },
    });
  });

  test('need fields if there is no own client', async () => {
    await expect(resolve(method, {})).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'fields.clientId' }, { field: 'fields.clientSecret' }],
    });
  });

  test('take no state and no auth provider', async () => {
    await expect(resolve(method, { fields, oauthState: 'x' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    await expect(
      resolve(method, { fields, provider: { kind: 'provider', by: { id: 9 } } }),
    ).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});
