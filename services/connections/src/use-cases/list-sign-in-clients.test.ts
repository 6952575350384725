import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { OWNER } from '../testing/builders.ts';
import { listSignInClients } from './list-sign-in-clients.ts';

const methods = [{ applicationSlug: 'sample', authenticationId: 1 }];

test('an account sees the methods with an OAuth client; a caller without an account is refused', () => {
  const deps = { ownClients: { methods: () => methods } };
  expect(listSignInClients(deps, testContext(OWNER))).toBe(methods);
  const platform = testContext({ caller: { kind: 'service', service: 'gateway' } });
  expect(() => listSignInClients(deps, platform)).toThrow('needs the context of an account');
});
