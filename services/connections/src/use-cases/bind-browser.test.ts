import { ManualClock } from '@fairlead/service-kit/clock';
import { expect, test } from 'vitest';
import { onePermit } from '@fairlead/service-kit/testing/permits';
import { hashBinding } from '../domain/sign-in.ts';
import type { StartedSignIn } from '../domain/sign-in.ts';
import type { SignInStore } from '../ports/sign-in-store.ts';
import {
  connectorHead,
  heldProviders,
  registeredClients,
  NOW,
  redeemableSignIn,
  signInHead,
} from '../testing/builders.ts';
import { testContext } from '@fairlead/service-kit/testing/context';
import { bindBrowser } from './bind-browser.ts';

const { state, authorizeUrl } = signInHead();

function depsWith(signIn: StartedSignIn | undefined) {
  const bound: unknown[] = [];
  const bind: SignInStore['bind'] = (_ctx, ...binding) => {
    bound.push(binding);
    return Promise.resolve(signIn);
  };
  const deps = {
    signIns: { bind },
    clock: new ManualClock(NOW),
    catalog: { getConnector: () => Promise.resolve(connectorHead()) },
    authProviders: heldProviders(),
    registeredClients: registeredClients(),
    ownClients: { find: () => ({ clientId: 'id', clientSecret: 's3cr3t' }) },
    tokenClient: {
      pushAuthorization: () => Promise.resolve('https://vendor.example/auth?request_uri=urn:1'),
    },
    vendorPermits: onePermit(),
  };
  return { bound, deps };
}

test('the browser gets the address and its own secret, of which only the hash is stored', async () => {
  const { bound, deps } = depsWith(redeemableSignIn());
  const first = await bindBrowser(deps, testContext(), state);
  const second = await bindBrowser(deps, testContext(), state, 'cs_1');
  expect(first.authorizeUrl).toBe(authorizeUrl);
  expect(first.browserBinding.reveal()).toMatch(/^[0-9A-Za-z]{43}$/);
  expect(second.browserBinding.reveal()).not.toBe(first.browserBinding.reveal());
  expect(bound).toEqual([
    [{ state, connectSessionId: null }, hashBinding(first.browserBinding), NOW],
    [{ state, connectSessionId: 'cs_1' }, hashBinding(second.browserBinding), NOW],
  ]);
});

test('the parameters go to the vendor first if it takes them beforehand', async () => {
  const { deps } = depsWith(redeemableSignIn({ isPushed: true }));
  expect(await bindBrowser(deps, testContext(), state)).toMatchObject({
    authorizeUrl: 'https://vendor.example/auth?request_uri=urn:1',
  });
});

test('a state that is not pending, or not a state at all, is OAUTH_STATE_EXPIRED', async () => {
  const { bound, deps } = depsWith(undefined);
  for (const given of [state, 'x', '']) {
    await expect(bindBrowser(deps, testContext(), given)).rejects.toMatchObject({
      code: 'OAUTH_STATE_EXPIRED',
    });
  }
  expect(bound).toHaveLength(1);
});
