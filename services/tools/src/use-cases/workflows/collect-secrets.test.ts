import { ApiError, notFound } from '@fairlead/errors/api-error';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { collectSecrets } from './collect-secrets.ts';

test('secrets of connections are added; one that is gone has none, one that cannot be read is asked again', async () => {
  const secrets = { known: ['input'], missing: new Set<number>() };
  let isAway = true;
  const connections = {
    getCredentials(_ctx: unknown, id: number) {
      if (id === 2) return Promise.reject(notFound('connection'));
      if (id === 3 && isAway) return Promise.reject(new ApiError('UNAVAILABLE', 'Away.'));
      const credential = { version: 1, fields: {}, secrets: [`secret-${id}`] };
      return Promise.resolve({ kind: 'credential', credential } as const);
    },
  };
  const ctx = testContext();
  expect(await collectSecrets({ connections }, ctx, secrets, [1, 2, 3])).toBe(false);
  expect(secrets.known).toEqual(['input', 'secret-1']);
  isAway = false;
  expect(await collectSecrets({ connections }, ctx, secrets, [])).toBe(true);
  expect(secrets.known).toEqual(['input', 'secret-1', 'secret-3']);
});
