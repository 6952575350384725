import { compiled, oauthMethod } from '@fairlead/connector-model/testing/manifest';
import { expect, it } from 'vitest';
import { compareAddresses } from './compare.ts';
import type { Providers, Reading } from './compare.ts';

const head = compiled({
  kind: 'Regular',
  baseUrl: 'https://api.acme.test/v1',
  authenticationMethods: [{ ...oauthMethod, isDefault: true }],
});
const same: Providers = {
  base: { authorization_url: 'https://a.test/auth', token_url: 'https://a.test/token' },
  acme: { alias: 'base', proxy: { base_url: 'https://api.acme.test/' } },
};
const none: Reading = { providers: {}, differences: [] };

it('addresses agree that differ in writing only; a base may continue theirs', () => {
  expect(compareAddresses([head], same, none)).toEqual({
    addresses: 3,
    applications: 1,
    explained: 0,
    problems: [],
  });
  const placeholders = { ...head, baseUrl: 'https://{{field.site}}.acme.test' };
  const theirs = {
    ...same,
    acme: { proxy: { base_url: 'https://${connectionConfig.subdomain}.acme.test' } },
  };
  expect(compareAddresses([placeholders], theirs, none).problems).toEqual([]);
});

it('a difference is a problem until it is explained, and its explanation is one once it is gone', () => {
  const moved: Providers = { ...same, base: { ...same['base'], token_url: 'https://b.test/token' } };
  expect(compareAddresses([head], moved, none).problems).toEqual([
    'acme: tokenUrl is https://a.test/token, theirs is https://b.test/token',
  ]);
  const explained: Reading = {
    providers: {},
    differences: [
      {
        slug: 'acme',
        member: 'tokenUrl',
        theirs: 'https://b.test/token',
        because: 'Theirs was shut down in 2020.',
      },
    ],
  };
  expect(compareAddresses([head], moved, explained)).toMatchObject({ explained: 1, problems: [] });
  expect(compareAddresses([head], same, explained).problems).toEqual([
    'acme: the difference of tokenUrl is gone, and its explanation can go',
  ]);
});

it('an application without a provider says so, and no longer once there is one', () => {
  expect(compareAddresses([head], {}, none).problems).toEqual([
    'acme: there is no provider acme; name its provider, or null',
  ]);
  const without: Reading = { ...none, providers: { acme: null } };
  expect(compareAddresses([head], {}, without)).toMatchObject({ applications: 0, problems: [] });
  expect(compareAddresses([head], same, without).problems).toEqual(['acme: is a provider by now']);
  const named: Reading = { ...none, providers: { acme: ['base', 'acme'] } };
  expect(compareAddresses([head], same, named)).toMatchObject({ applications: 1, problems: [] });
});
