import { describe, expect, it } from 'vitest';
import type { AuthenticationScheme } from '@fairlead/connector-model/model';
import { defineOAuth2Scheme } from '@fairlead/connector-model/oauth2-scheme';
import type { Credential } from '../call.ts';
import { testCredential } from '../testing/calls.ts';
import { authorize } from './authorization.ts';

const fields = { user: 'ada', password: 'pä:ss', key: 'k 1', header: 'X-Key' };
const request = {
  url: new URL('https://api.example.com/x?key=old'),
  headers: { authorization: 'mine', 'x-key': 'mine' },
};
const sent = (
  scheme: AuthenticationScheme,
  credential: Credential = testCredential(fields),
): typeof request => authorize(scheme, credential, request);

describe('authorize', () => {
  it('adds nothing for none and custom', () => {
    expect(sent({ type: 'none' })).toEqual(request);
    expect(sent({ type: 'custom' })).toEqual(request);
  });

  it('replaces an existing value in the credential’s place', () => {
    expect(sent({ type: 'bearer', token: '{{field.key}}' }).headers).toEqual({
      authorization: 'Bearer k 1',
      'x-key': 'mine',
    });
    const header = sent({
      type: 'apiKey',
      in: 'header',
      name: '{{field.header}}',
      value: 'Key {{field.key}}',
    });
    expect(header.headers).toEqual({ authorization: 'mine', 'x-key': 'Key k 1' });
    const query = sent({ type: 'apiKey', in: 'query', name: 'key', value: '{{field.key}}' });
    expect(query.url.href).toBe('https://api.example.com/x?key=k+1');
  });

  it('sends user and password as UTF-8 in base64 (RFC 7617)', () => {
    const scheme = { type: 'basic', username: '{{field.user}}', password: '{{field.password}}' } as const;
    const value = sent(scheme).headers.authorization.replace('Basic ', '');
    expect(Buffer.from(value, 'base64').toString('utf8')).toBe('ada:pä:ss');
    expect(() => sent(scheme, testCredential({ user: 'a:b' }))).toThrow('colon');
  });

  it('sends a key as a cookie, and refuses one that would be two', () => {
    const scheme = { type: 'apiKey', in: 'cookie', name: 'sid', value: '{{field.key}}' } as const;
    expect(sent(scheme, testCredential({ key: 'abc' })).headers).toMatchObject({ cookie: 'sid=abc' });
    expect(() => sent(scheme, testCredential({ key: 'a; admin=1' }))).toThrow('cookie');
  });

  it('sends an OAuth access token, and reports the lack of one as unauthorized', () => {
    const scheme = defineOAuth2Scheme({
      grant: 'clientCredentials',
      tokenUrl: 'https://example.com/token',
    });
    expect(sent(scheme, testCredential({}, { accessToken: 'at' })).headers.authorization).toBe('Bearer at');
    expect(() => sent(scheme)).toThrow(expect.objectContaining({ isUnauthorized: true }));
  });

  it.each([
    ['Shopify', { name: 'X-Shopify-Access-Token', prefix: '' }, { 'x-shopify-access-token': 'at' }],
    ['Zoho', { prefix: 'Zoho-oauthtoken' }, { authorization: 'Zoho-oauthtoken at' }],
  ])('sends an access token in the header that %s wants', (_vendor, accessToken, headers) => {
    const scheme = defineOAuth2Scheme({
      grant: 'clientCredentials',
      tokenUrl: 'https://example.com/token',
      accessToken,
    });
    expect(sent(scheme, testCredential({}, { accessToken: 'at' })).headers).toMatchObject(headers);
  });

  it('sends an access token in the query to the Graph API of Instagram, and in no header', () => {
    const scheme = defineOAuth2Scheme({
      grant: 'clientCredentials',
      tokenUrl: 'https://example.com/token',
      accessToken: { in: 'query', name: 'access_token', prefix: '' },
    });
    const { url, headers } = sent(scheme, testCredential({}, { accessToken: 'a&t' }));
    expect(url.searchParams.get('access_token')).toBe('a&t');
    expect(headers).toEqual(request.headers);
  });

  it('refuses a value that would add a header, and one that is missing', () => {
    const scheme = { type: 'bearer', token: '{{field.key}}' } as const;
    expect(() => sent(scheme, testCredential({ key: 'a\r\nx-admin: 1' }))).toThrow('characters');
    expect(() => sent(scheme, testCredential({}))).toThrow('lacks a credential');
  });
});
