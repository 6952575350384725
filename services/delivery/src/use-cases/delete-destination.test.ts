import { systemClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { deleteDestination } from './delete-destination.ts';

it('answers once no request to it begins; NOT_FOUND where there is none', async () => {
  const steps: string[] = [];
  const deps: Parameters<typeof deleteDestination>[0] = {
    destinations: {
      delete(_ctx, _accountId, id) {
        steps.push(id);
        return Promise.resolve(id === 'dst_1');
      },
    },
    awaitCachedReads() {
      steps.push('waited');
      return Promise.resolve();
    },
    clock: systemClock,
  };
  await deleteDestination(deps, testContext(), 'dst_1');
  expect(steps).toEqual(['dst_1', 'waited']);
  await expect(deleteDestination(deps, testContext(), 'dst_2')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
