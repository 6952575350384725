import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { DEFAULT_MAX_FAILURES } from '../domain/destination.ts';
import type { DestinationContent } from '../domain/destination.ts';
import type { NewDestination } from '../ports/destination-store.ts';
import { createDestination } from './create-destination.ts';

const NOW = new Date('2026-11-22T10:00:00.000Z');
const content: DestinationContent = {
  name: 'Ours',
  url: 'https://receiver.example/in',
  headers: { 'X-Team': 'a' },
  isEnabled: true,
  maxConsecutiveFailures: DEFAULT_MAX_FAILURES,
};

function world(outcome: 'inserted' | 'tooMany' = 'inserted') {
  const stored: NewDestination[] = [];
  const deps: Parameters<typeof createDestination>[0] = {
    destinations: {
      insert(_ctx, _accountId, created) {
        stored.push(created);
        return Promise.resolve(outcome);
      },
    },
    clock: new ManualClock(NOW),
  };
  return { stored, create: (o = {}) => createDestination(deps, testContext(), { ...content, ...o }) };
}

it('is stored with a secret of its own and the values of its headers', async () => {
  const { stored, create } = world();
  const [first, second] = [await create(), await create()];
  expect(first.destination).toMatchObject({ headerNames: ['x-team'], disabledReason: null, createdAt: NOW });
  expect(first.destination.id).toMatch(/^dst_[0-9A-Za-z]{22}$/);
  expect(first.secret.reveal()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(second.secret.reveal()).not.toBe(first.secret.reveal());
  expect(stored[0]?.headers.reveal()).toEqual({ 'x-team': 'a' });
  expect(stored[0]?.secret).toBe(first.secret);
});

it('may be disabled from the start', async () => {
  const { destination } = await world().create({ isEnabled: false });
  expect(destination.disabledReason).toBe('owner');
});

it('is refused where it is out of bounds, and above the number that an account may have', async () => {
  const { stored, create } = world();
  await expect(create({ url: 'x' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  expect(stored).toEqual([]);
  await expect(world('tooMany').create()).rejects.toMatchObject({ code: 'CONFLICT' });
});
