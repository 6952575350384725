import { describe, expect, it } from 'vitest';
import { oauthMethod, testConnector } from '../testing/connectors.ts';
import { isAvailable } from './application.ts';

describe('isAvailable', () => {
  const signIn = testConnector('crm', { authenticationMethods: [oauthMethod(3, 'authorizationCode')] });

  it('needs a client if a sign-in is the only method', () => {
    expect(isAvailable(signIn, [])).toBe(false);
    expect(isAvailable(signIn, [{ applicationSlug: 'crm', authenticationId: 3 }])).toBe(true);
  });

  it('ignores a client of another application or method', () => {
    expect(isAvailable(signIn, [{ applicationSlug: 'crm', authenticationId: 4 }])).toBe(false);
    expect(isAvailable(signIn, [{ applicationSlug: 'erp', authenticationId: 3 }])).toBe(false);
  });

  it('needs none for a method whose fields the account fills in', () => {
    expect(isAvailable(testConnector('crm'), [])).toBe(true);
    const clientCredentials = testConnector('crm', {
      authenticationMethods: [oauthMethod(0, 'clientCredentials')],
    });
    expect(isAvailable(clientCredentials, [])).toBe(true);
  });
});
