import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { OWNER } from '../testing/builders.ts';
import { listSignInClients } from './list-sign-in-clients.ts';

const own = { applicationSlug: 'sample', authenticationId: 1 };
const provided = { applicationSlug: 'crm', authenticationId: 0, heldSlots: ['Key1'] };
const deps = {
  ownClients: { methods: () => [own] },
  authProviders: { methods: () => Promise.resolve([provided]) },
};

test('the methods with a client of the connector, and with a provider for those who may use providers', async () => {
  expect(
    await listSignInClients(deps, testContext({ ...OWNER, permissions: ['authProviders.use'] })),
  ).toEqual([
    { ...own, isOwn: true },
    { ...provided, isOwn: false },
  ]);
  expect(await listSignInClients(deps, testContext({ ...OWNER, permissions: [] }))).toEqual([
    { ...own, isOwn: true },
  ]);
});

test('a caller without an account is refused', async () => {
  const platform = testContext({ caller: { kind: 'service', service: 'gateway' } });
  await expect(listSignInClients(deps, platform)).rejects.toThrow('needs the context of an account');
});
