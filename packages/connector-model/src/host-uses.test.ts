import { expect, test } from 'vitest';
import { addressFields } from './host-uses.ts';
import { defineOAuth2Scheme } from './oauth2-scheme.ts';
import type { AuthenticationMethod, FieldDescriptor } from './model.ts';

function field(name: string, over: Partial<FieldDescriptor> = {}): FieldDescriptor {
  return {
    name,
    label: name,
    description: '',
    type: 'string',
    isRequired: true,
    isPassword: false,
    maskInLogs: false,
    defaultValue: null,
    options: [],
    providerSlot: null,
    dynamicOptions: null,
    atSignIn: false,
    capturedFrom: null,
    pattern: null,
    allowedHosts: [],
    help: null,
    helpUrl: null,
    translations: {},
    ...over,
  };
}

test('the fields of an address are those in its URLs, also in a path, and those that name a host', () => {
  const method: AuthenticationMethod = {
    authenticationId: 0,
    authenticationName: 'OAuth',
    translations: {},
    isDefault: true,
    fields: [
      field('base'),
      field('login'),
      field('tenant'),
      field('revoker'),
      field('probe'),
      field('issuer', { allowedHosts: ['*'] }),
      field('clientId'),
      field('audience'),
    ],
    scheme: defineOAuth2Scheme({
      grant: 'authorizationCode',
      authorizationUrl: 'https://{{field.login}}.vendor.com/authorize',
      tokenUrl: 'https://login.vendor.com/{{field.tenant}}/token',
      tokenParameters: { audience: '{{field.audience}}' },
      revocation: { url: 'https://{{field.revoker}}.vendor.com/revoke' },
    }),
    baseUrl: '{{field.base}}/api',
    test: {
      type: 'http',
      request: { method: 'GET', url: '/{{field.probe}}', query: {}, headers: {}, body: null },
    },
  };
  const connector = { baseUrl: 'https://{{field.unused}}.vendor.com', authenticationMethods: [method] };
  expect([...addressFields(connector, method)].toSorted()).toEqual([
    'base',
    'issuer',
    'login',
    'probe',
    'revoker',
    'tenant',
  ]);
});
