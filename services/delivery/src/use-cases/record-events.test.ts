import { expect, it } from 'vitest';
import type { FirstAttempts } from '../ports/first-attempts.ts';
import { capturedEvent, claimedDelivery } from '../testing/deliveries.ts';
import { recordEvents } from './record-events.ts';

const CLAIM = { token: 'token', by: 'replica', until: new Date(0) };

function world() {
  const begun: Parameters<FirstAttempts['begin']>[] = [];
  let wakes = 0;
  const firstAttempts: FirstAttempts = {
    claim: (_event, destinationId) => (destinationId === 'dst_1' ? CLAIM : null),
    begin: (...given) => void begun.push(given),
    wake: () => void (wakes += 1),
  };
  return { begun, firstAttempts, wakes: () => wakes };
}

it('first attempts begin once their events are stored, with the claims that these were stored with', async () => {
  const { begun, firstAttempts, wakes } = world();
  const event = capturedEvent({ destinationIds: ['dst_1', 'dst_2'] });
  const claims: unknown[] = [];
  const stored = claimedDelivery();
  await recordEvents(
    {
      firstAttempts,
      deliveries: {
        insert(events, claimFor) {
          expect([events, begun]).toEqual([[event], []]);
          claims.push(claimFor(event, 'dst_1'), claimFor(event, 'dst_2'));
          return Promise.resolve([stored]);
        },
      },
    },
    [event],
  );
  expect(claims).toEqual([CLAIM, null]);
  expect(begun).toEqual([[[[event, 'dst_1']], [stored]]]);
  expect(wakes()).toBe(1);
});

it('nobody looks for due attempts if all have begun from memory', async () => {
  const { firstAttempts, wakes } = world();
  const event = capturedEvent();
  const insert: Parameters<typeof recordEvents>[0]['deliveries']['insert'] = (_events, claimFor) => {
    claimFor(event, 'dst_1');
    return Promise.resolve([claimedDelivery()]);
  };
  await recordEvents({ firstAttempts, deliveries: { insert } }, [event]);
  expect(wakes()).toBe(0);
});

it('the places of events that could not be stored are given back', async () => {
  const { begun, firstAttempts } = world();
  const event = capturedEvent();
  const insert: Parameters<typeof recordEvents>[0]['deliveries']['insert'] = (_events, claimFor) => {
    claimFor(event, 'dst_1');
    return Promise.reject(new Error('away'));
  };
  await expect(recordEvents({ firstAttempts, deliveries: { insert } }, [event])).rejects.toThrow('away');
  expect(begun).toEqual([[[[event, 'dst_1']], []]]);
});
