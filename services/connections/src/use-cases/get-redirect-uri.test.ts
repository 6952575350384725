import { notFound } from '@fairlead/errors/api-error';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { connectorHead, OWNER } from '../testing/builders.ts';
import { getRedirectUri } from './get-redirect-uri.ts';

const deps = {
  catalog: {
    getConnector: (_ctx: unknown, slug: string) =>
      slug === 'crm' ? Promise.resolve(connectorHead()) : Promise.reject(notFound('application')),
  },
  addresses: { redirectUri: 'https://api.example/connect/callback' },
};

test('the callback address is given for an application that exists', async () => {
  expect(await getRedirectUri(deps, testContext(OWNER), 'crm')).toBe('https://api.example/connect/callback');
  await expect(getRedirectUri(deps, testContext(OWNER), 'no-such')).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});
