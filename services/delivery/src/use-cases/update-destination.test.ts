import { systemClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import type { ChangeOutcome } from '../ports/destination-store.ts';
import { destination } from '../testing/destinations.ts';
import { updateDestination } from './update-destination.ts';

function world(outcome: ChangeOutcome) {
  const steps: unknown[] = [];
  const update = (change = {}) =>
    updateDestination(
      {
        destinations: {
          update(_ctx, _accountId, id, given) {
            steps.push([id, given]);
            return Promise.resolve(outcome);
          },
        },
        awaitCachedReads() {
          steps.push('waited');
          return Promise.resolve();
        },
        wakeAttempts: () => void steps.push('woken'),
        clock: systemClock,
      },
      testContext(),
      'dst_1',
      change,
    );
  return { steps, update };
}

it('answers once nobody uses what was read of the former one', async () => {
  const { steps, update } = world({ kind: 'changed', destination: destination() });
  const headers = { values: { 'X-A': '1' }, kept: ['X-Team'] };
  expect(await update({ headers })).toEqual(destination());
  expect(steps).toEqual([['dst_1', { headers: { values: { 'x-a': '1' }, kept: ['x-team'] } }], 'waited']);
});

it('looks for what is due once a destination is enabled, not otherwise', async () => {
  const { steps, update } = world({ kind: 'changed', destination: destination() });
  await update({ isEnabled: false });
  expect(steps.slice(1)).toEqual(['waited']);
  await update({ isEnabled: true });
  expect(steps.slice(3)).toEqual(['waited', 'woken']);
});

it('is refused for an unknown destination, members out of bounds and headers that have no value to keep', async () => {
  await expect(world({ kind: 'missing' }).update()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(world({ kind: 'unknownHeaders', names: ['x-b'] }).update()).rejects.toMatchObject({
    details: [{ field: 'headers.x-b' }],
  });
  const { steps, update } = world({ kind: 'missing' });
  await expect(update({ url: 'x' })).rejects.toMatchObject({ details: [{ field: 'url' }] });
  expect(steps).toEqual([]);
});
