import type { FieldDescriptor } from '@fairlead/connector-model/model';
import { describe, expect, it } from 'vitest';
import { oauthMethod, providerField, testConnector } from '../testing/connectors.ts';
import { isAvailable } from './application.ts';

describe('isAvailable', () => {
  const signIn = testConnector('crm', { authenticationMethods: [oauthMethod(3, 'authorizationCode')] });

  it('needs a client if a sign-in is the only method', () => {
    expect(isAvailable(signIn, [])).toBe(false);
    expect(isAvailable(signIn, [{ applicationSlug: 'crm', authenticationId: 3, isOwn: true }])).toBe(true);
  });

  it('ignores a client of another application or method', () => {
    expect(isAvailable(signIn, [{ applicationSlug: 'crm', authenticationId: 4, isOwn: true }])).toBe(false);
    expect(isAvailable(signIn, [{ applicationSlug: 'erp', authenticationId: 3, isOwn: true }])).toBe(false);
  });

  it('does not count a client of the connector that lacks what only an auth provider can hold', () => {
    const method = oauthMethod(3, 'authorizationCode');
    const address = { ...providerField('address', 'BaseUrl'), isRequired: true };
    const hosted = (field: FieldDescriptor) =>
      testConnector('crm', { authenticationMethods: [{ ...method, fields: [field] }] });
    const client = { applicationSlug: 'crm', authenticationId: 3 };
    expect(isAvailable(hosted(address), [{ ...client, isOwn: true }])).toBe(false);
    expect(isAvailable(hosted(address), [{ ...client, isOwn: false }])).toBe(true);
    const withDefault = { ...address, defaultValue: 'https://crm.example' };
    for (const field of [withDefault, { ...address, isRequired: false }, { ...address, name: 'clientId' }])
      expect(isAvailable(hosted(field), [{ ...client, isOwn: true }]), field.name).toBe(true);
  });

  it('needs none for a method whose fields the account fills in', () => {
    expect(isAvailable(testConnector('crm'), [])).toBe(true);
    const clientCredentials = testConnector('crm', {
      authenticationMethods: [oauthMethod(0, 'clientCredentials')],
    });
    expect(isAvailable(clientCredentials, [])).toBe(true);
  });
});
