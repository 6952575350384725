import { ApiError, notFound } from '@fairlead/errors/api-error';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { connectorHead, openedProvider, OWNER, providerMethod } from '../testing/builders.ts';
import { showAuthProviders } from './show-auth-providers.ts';

const items = [
  openedProvider({ id: 2 }).provider,
  openedProvider({ id: 1, applicationSlug: 'gone' }).provider,
];

function show(missing: ApiError) {
  const asked: string[] = [];
  const deps = {
    catalog: {
      getConnector: (_ctx: unknown, slug: string) => {
        asked.push(slug);
        return slug === 'gone'
          ? Promise.reject(missing)
          : Promise.resolve(connectorHead({ authenticationMethods: [providerMethod()] }));
      },
    },
  };
  return { asked, result: showAuthProviders(deps, testContext(OWNER), [...items, ...items]) };
}

test('each application is asked for once; what a provider of a lost one holds stays unseen', async () => {
  const { asked, result } = show(notFound('application'));
  const shown = await result;
  expect(asked).toEqual(['crm', 'gone']);
  expect(shown).toHaveLength(4);
  const [known, lost] = shown;
  expect(known?.slots[0]).toMatchObject({ slot: 'Key1', value: 'provider-id' });
  expect(lost?.slots).toMatchObject([
    { slot: 'Key1', hasValue: true, value: null },
    { slot: 'Key2', hasValue: true, value: null },
  ]);
});

test('a catalogue that is away is an error, not a provider without slots', async () => {
  const { result } = show(new ApiError('UNAVAILABLE', 'away'));
  await expect(result).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
