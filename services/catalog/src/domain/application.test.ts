import type { FieldDescriptor } from '@fairlead/connector-model/model';
import { describe, expect, it } from 'vitest';
import {
  oauthMethod,
  providerField,
  testConnector,
  testTool,
  testTriggerType,
} from '../testing/connectors.ts';
import { isAvailable, isConnectionless } from './application.ts';

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
    expect(isAvailable(hosted(address), [{ ...client, isOwn: false, heldSlots: ['BaseUrl'] }])).toBe(true);
    const withDefault = { ...address, defaultValue: 'https://crm.example' };
    for (const field of [withDefault, { ...address, isRequired: false }, { ...address, name: 'clientId' }])
      expect(isAvailable(hosted(field), [{ ...client, isOwn: true }]), field.name).toBe(true);
  });

  it('does not count an auth provider that lost a required slot, unless what it holds is not known', () => {
    const method = oauthMethod(3, 'authorizationCode');
    const address = { ...providerField('address', 'BaseUrl'), isRequired: true };
    const hosted = testConnector('crm', { authenticationMethods: [{ ...method, fields: [address] }] });
    const client = { applicationSlug: 'crm', authenticationId: 3, isOwn: false };
    expect(isAvailable(hosted, [{ ...client, heldSlots: ['Key1'] }])).toBe(false);
    expect(
      isAvailable(hosted, [
        { ...client, heldSlots: [] },
        { ...client, heldSlots: ['BaseUrl'] },
      ]),
    ).toBe(true);
    expect(isAvailable(hosted, [client])).toBe(true);
  });

  it('needs none for a method whose fields the account fills in', () => {
    expect(isAvailable(testConnector('crm'), [])).toBe(true);
    const clientCredentials = testConnector('crm', {
      authenticationMethods: [oauthMethod(0, 'clientCredentials')],
    });
    expect(isAvailable(clientCredentials, [])).toBe(true);
  });
});

describe('isConnectionless', () => {
  const none = { ...oauthMethod(0, 'authorizationCode'), scheme: { type: 'none' } as const };
  const schedule = testConnector('schedule', {
    baseUrl: null,
    triggerTypes: [testTriggerType('schedule', { kind: 'schedule', requiresConnection: false })],
  });

  it('holds for an application that only has triggers without a connection', () => {
    expect(isConnectionless(schedule)).toBe(true);
  });

  it.each([
    ['a tool', { tools: [testTool('now')] }],
    ['an API', { baseUrl: 'https://api.example.com' }],
    ['a trigger type with a connection', { triggerTypes: [testTriggerType('due')] }],
    ['a sign-in', { authenticationMethods: [oauthMethod(3, 'authorizationCode')] }],
    ['a field', { authenticationMethods: [{ ...none, fields: [providerField('address', 'BaseUrl')] }] }],
  ])('does not hold for one with %s', (_what, members) => {
    expect(isConnectionless({ ...schedule, ...members })).toBe(false);
  });
});
