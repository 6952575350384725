import { describe, expect, it } from 'vitest';
import { compiled, oauthMethod, problemsOf } from '../testing/manifest.ts';
import type { Members } from '../testing/manifest.ts';

const [clientIdField] = oauthMethod.fields;
const revocation = { url: 'https://a.test/revoke' };

const jwtBearer = (assertion: Members | null): Members => ({
  grant: 'jwtBearer',
  authorizationUrl: null,
  assertion,
});

function oauth(scheme: Members, members: Members = {}): Members {
  return {
    kind: 'Regular',
    authenticationMethods: [
      { ...oauthMethod, ...members, isDefault: true, scheme: { ...oauthMethod.scheme, ...scheme } },
    ],
    tools: [],
  };
}

describe('an OAuth 2 method with', () => {
  it.each<[guarantee: string, scheme: Members, path: string, message: RegExp]>([
    [
      'an assertion that nobody asks with',
      { assertion: { issuer: 'me' } },
      'assertion',
      /only for the grant jwtBearer/,
    ],
    ['the grant jwtBearer without an assertion', jwtBearer(null), 'assertion', /required for the grant/],
    [
      'a private key in no field',
      jwtBearer({ privateKeyField: 'key', issuer: 'me' }),
      'assertion.privateKeyField',
      /has no field 'key'/,
    ],
    [
      'a private key that is not secret',
      jwtBearer({ privateKeyField: 'clientId', issuer: 'me' }),
      'assertion.privateKeyField',
      /isPassword or maskInLogs/,
    ],
    [
      'the grant password without the name of the user',
      { grant: 'password', authorizationUrl: null, tokenParameters: { password: '{{field.clientSecret}}' } },
      'tokenParameters',
      /needs the parameter 'username'/,
    ],
    ['a relative endpoint', { tokenUrl: '/token' }, 'tokenUrl', /must begin with http/],
    [
      'a relative endpoint for renewals',
      { refresh: { url: 'token' } },
      'refresh.url',
      /must begin with http/,
    ],
    [
      'a prefix in the query',
      { accessToken: { in: 'query', name: 'access_token' } },
      'accessToken.prefix',
      /must be empty/,
    ],
    [
      'an exchange of tokens without a sign-in',
      {
        grant: 'clientCredentials',
        authorizationUrl: null,
        exchange: { grantType: 'ig_exchange_token', tokenParameter: 'access_token' },
      },
      'exchange',
      /only for a sign-in/,
    ],
    [
      'a pushed sign-in without a sign-in',
      {
        grant: 'clientCredentials',
        authorizationUrl: null,
        pushedAuthorizationUrl: 'https://a.test/par',
      },
      'pushedAuthorizationUrl',
      /only for a sign-in/,
    ],
    ['a required issuer that is not named', { requiresIssuer: true }, 'requiresIssuer', /needs the issuer/],
    [
      'an unknown standard error code',
      { tokenResponse: { errorCodes: { token_revoked: 'revoked' } } },
      'tokenResponse.errorCodes.token_revoked',
      /invalid_grant/,
    ],
    [
      'a revocation that names no token',
      { revocation: { ...revocation, tokenParameter: null } },
      'revocation.tokenParameter',
      /names the token/,
    ],
    [
      'a revocation with two Authorization headers',
      { revocation: { ...revocation, sendsAccessToken: true } },
      'revocation.clientAuthentication',
      /one Authorization header/,
    ],
    [
      'a revocation by GET with a body',
      { revocation: { ...revocation, method: 'GET' } },
      'revocation.format',
      /must be query/,
    ],
    [
      'a revocation with an unknown placeholder',
      { revocation: { ...revocation, parameters: { hint: '{{token.hint}}' } } },
      'revocation.parameters.hint',
      /known: value/,
    ],
    [
      'the token to revoke elsewhere',
      { tokenUrl: 'https://a.test/{{token.value}}' },
      'tokenUrl',
      /\{\{token\.value\}\} is not known here/,
    ],
  ])('%s is refused', (_guarantee, scheme, path, message) => {
    expect(problemsOf(oauth(scheme))).toEqual([
      expect.objectContaining({
        path: `authenticationMethods[0].scheme.${path}`,
        message: expect.stringMatching(message) as string,
      }),
    ]);
  });

  it('no client authentication needs no field for a secret', () => {
    const scheme = { clientAuthentication: 'none' };
    expect(problemsOf(oauth(scheme, { fields: [clientIdField] }))).toEqual([]);
  });

  it('a token in the path of its revocation is compiled', () => {
    const { authenticationMethods } = compiled(
      oauth({
        revocation: { url: 'https://a.test/{{token.value}}', method: 'DELETE', tokenParameter: null },
      }),
    );
    expect(authenticationMethods[0]?.scheme).toMatchObject({
      revocation: { method: 'DELETE', format: 'form', token: 'refreshToken', sendsAccessToken: false },
    });
  });
});
