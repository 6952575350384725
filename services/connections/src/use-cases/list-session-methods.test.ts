import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import {
  apiTokenMethod,
  connection,
  connectorHead,
  field,
  oauth2Scheme,
  oauthMethod,
  OWNER,
} from '../testing/builders.ts';
import { sessionCalls } from '../testing/session-calls.ts';
import { listSessionMethods } from './list-session-methods.ts';

const scheme = oauth2Scheme({ scopes: ['read'] });
const signIn = oauthMethod({
  scheme,
  isDefault: false,
  fields: [field('tenant', { atSignIn: true }), field('shop')],
});
const byToken = apiTokenMethod({ isDefault: true });
const byOtherToken = apiTokenMethod({ authenticationId: 2 });
const head = connectorHead({ authenticationMethods: [byOtherToken, signIn, byToken] });
const offer = { head, renews: undefined, provider: { kind: 'default' } } as const;

test('a sign-in comes first, then the default; it asks for what its addresses need, and says its scopes', async () => {
  const methods = await listSessionMethods(sessionCalls().deps, testContext(OWNER), offer);
  expect(
    methods.map(({ method, fields, scopes }) => [
      method.authenticationId,
      fields.map(({ name }) => name),
      scopes,
    ]),
  ).toEqual([
    [0, ['tenant'], ['read']],
    [1, ['apiToken'], []],
    [2, ['apiToken'], []],
  ]);
});

test('a sign-in whose client lacks what only an auth provider can hold is left out', async () => {
  const address = field('address', { isRequired: true, providerSlot: 'BaseUrl' });
  const hosted = connectorHead({ authenticationMethods: [oauthMethod({ fields: [address] }), byToken] });
  const methods = await listSessionMethods(sessionCalls().deps, testContext(OWNER), {
    ...offer,
    head: hosted,
  });
  expect(methods.map(({ method }) => method.authenticationId)).toEqual([1]);
});

test('a sign-in without an OAuth client is left out; a renewal keeps its method', async () => {
  const { deps } = sessionCalls();
  const without = { ...deps, ownClients: { find: () => undefined } };
  const ids = async (o: Parameters<typeof listSessionMethods>[2], from: typeof without = without) =>
    (await listSessionMethods(from, testContext(OWNER), o)).map(({ method }) => method.authenticationId);
  expect(await ids(offer)).toEqual([1, 2]);
  expect(await ids({ ...offer, renews: connection({ authenticationId: 1 }) })).toEqual([1]);
});
