import { ManualClock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { SignInHead } from '../domain/sign-in.ts';
import { connectorHead, NOW, oauth2Scheme, oauthMethod, signInHead } from '../testing/builders.ts';
import { describeSignIn } from './describe-sign-in.ts';

function depsWith(found: SignInHead | undefined) {
  const asked: unknown[] = [];
  const findPending = (_ctx: unknown, ...query: unknown[]) => {
    asked.push(query);
    return Promise.resolve(found);
  };
  const scopeDescriptions = { 'crm.read': { description: 'See contacts', translations: {} } };
  const scheme = oauth2Scheme({ scopeDescriptions });
  const getConnector = ({ caller }: RequestContext, slug: string) => {
    asked.push([caller.kind, slug]);
    return Promise.resolve(connectorHead({ authenticationMethods: [oauthMethod({ scheme })] }));
  };
  const deps = { signIns: { findPending }, catalog: { getConnector }, clock: new ManualClock(NOW) };
  return { asked, deps };
}

test('a pending sign-in is described with its scopes in words, as often as it is asked for', async () => {
  const signIn = signInHead();
  const { asked, deps } = depsWith(signIn);
  const described = { ...signIn, scopeDescriptions: { 'crm.read': { description: 'See contacts' } } };
  for (const _time of ['first', 'again'])
    expect(await describeSignIn(deps, testContext(), signIn.state)).toMatchObject(described);
  const once = [
    [signIn.state, NOW],
    ['user', signIn.applicationSlug],
  ];
  expect(asked).toEqual([...once, ...once]);
});

test('a state that is not pending, or not a state at all, is OAUTH_STATE_EXPIRED', async () => {
  const { asked, deps } = depsWith(undefined);
  for (const given of [signInHead().state, 'x', ''])
    await expect(describeSignIn(deps, testContext(), given)).rejects.toMatchObject({
      code: 'OAUTH_STATE_EXPIRED',
    });
  expect(asked).toHaveLength(1);
});
