import { TokenError } from '@fairlead/connector-runtime/token-client';
import { Secret } from '@fairlead/service-kit/secret';
import { testContext } from '@fairlead/service-kit/testing/context';
import { onePermit } from '@fairlead/service-kit/testing/permits';
import { expect, test } from 'vitest';
import {
  connectorHead,
  heldProviders,
  registeredClients,
  openedProvider,
  OWNER,
  providerMethod,
  redeemableSignIn,
} from '../testing/builders.ts';
import { pushAuthorization } from './push-authorization.ts';

const gateway = testContext({ caller: { kind: 'service', service: 'gateway' } });
const signIn = {
  ...redeemableSignIn({ isPushed: true, authProviderId: 3 }),
  given: { plain: { tenant: 'acme' }, secret: new Secret({ pin: '7391' }) },
};

function world(answer: () => Promise<string>, held = heldProviders(openedProvider())) {
  const asked: unknown[] = [];
  const callers: unknown[] = [];
  const deps = {
    catalog: {
      getConnector: (ctx: { readonly caller: unknown }) => {
        callers.push(ctx.caller);
        return Promise.resolve(connectorHead({ authenticationMethods: [providerMethod()] }));
      },
    },
    authProviders: held,
    registeredClients: registeredClients(),
    ownClients: { find: () => undefined },
    tokenClient: {
      pushAuthorization: (_scheme: unknown, o: unknown) => {
        asked.push(o);
        return answer();
      },
    },
    vendorPermits: onePermit(),
  };
  return { asked, callers, errors: held.errors, push: () => pushAuthorization(deps, gateway, signIn) };
}

test('the stored address is pushed by the client of the sign-in, on behalf of its person', async () => {
  const { asked, callers, push } = world(() => Promise.resolve('https://vendor.example/auth?request_uri=u'));
  expect(await push()).toBe('https://vendor.example/auth?request_uri=u');
  expect(asked).toMatchObject([
    {
      accountId: OWNER.accountId,
      url: signIn.authorizeUrl,
      client: { clientId: 'provider-id', clientSecret: 'provider-s3cr3t' },
      values: { field: { clientId: 'provider-id', tenant: 'acme', pin: '7391' } },
    },
  ]);
  expect(callers).toMatchObject([{ kind: 'user', ...OWNER }]);
});

test('nothing is pushed where the auth provider leads since the sign-in began', async () => {
  const moved = heldProviders(openedProvider({ addressRevision: 'moved' }));
  const { asked, push } = world(() => Promise.resolve(''), moved);
  await expect(push()).rejects.toMatchObject({ code: 'OAUTH_SIGN_IN_FAILED' });
  expect(asked).toEqual([]);
});

test('a refused client is the error of its auth provider, and no secret is quoted', async () => {
  const refused = new TokenError('refused', 'no provider-s3cr3t for 7391', { code: 'invalid_client' });
  const { errors, push } = world(() => Promise.reject(refused));
  await expect(push()).rejects.toMatchObject({
    code: 'OAUTH_SIGN_IN_FAILED',
    message: 'The sign-in failed: no *** for ***',
  });
  expect(errors).toEqual(['no *** for ***']);
});

test('without the client of the sign-in nothing is sent', async () => {
  const { asked, push } = world(() => Promise.resolve(''), heldProviders());
  await expect(push()).rejects.toMatchObject({ code: 'OAUTH_SIGN_IN_FAILED' });
  expect(asked).toEqual([]);
});
