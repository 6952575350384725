import { systemClock } from '@fairlead/service-kit/clock';
import type { Secret } from '@fairlead/service-kit/secret';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { destination } from '../testing/destinations.ts';
import { rotateSecret } from './rotate-secret.ts';

it('stores a new secret, and answers once nobody signs with the former one', async () => {
  const steps: unknown[] = [];
  const deps: Parameters<typeof rotateSecret>[0] = {
    destinations: {
      replaceSecret(_ctx, _accountId, id, secret: Secret) {
        steps.push(secret);
        return Promise.resolve(id === 'dst_1' ? destination() : undefined);
      },
    },
    awaitCachedReads() {
      steps.push('waited');
      return Promise.resolve();
    },
    clock: systemClock,
  };
  const { destination: shown, secret } = await rotateSecret(deps, testContext(), 'dst_1');
  expect(shown).toEqual(destination());
  expect(steps).toEqual([secret, 'waited']);
  await expect(rotateSecret(deps, testContext(), 'dst_2')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
