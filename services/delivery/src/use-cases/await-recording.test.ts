import { prefixedId } from '@fairlead/service-kit/ids';
import { testContext } from '@fairlead/service-kit/testing/context';
import { VirtualTime } from '@fairlead/service-kit/testing/virtual-time';
import { expect, it } from 'vitest';
import { NOON } from '../testing/events.ts';
import { awaitRecording } from './await-recording.ts';

/** Looks for an event that is recorded `recordedMs` after noon. Returns the result and the number of attempts. */
async function find(id: string, { recordedMs = Infinity, signal = testContext().signal } = {}) {
  const time = new VirtualTime(NOON.getTime());
  let attempts = 0;
  const found = awaitRecording({ clock: time, timers: time.timers(() => true) }, { signal }, id, () => {
    attempts += 1;
    return Promise.resolve(time.nowMs >= NOON.getTime() + recordedMs ? 'found' : undefined);
  });
  await new Promise(setImmediate);
  await time.runUntil(NOON.getTime() + 60_000);
  return { found: await found, attempts };
}

const idAt = (offsetMs: number): string => prefixedId('te', new Date(NOON.getTime() + offsetMs));

it('finds an event that is recorded a moment after its id was given', async () => {
  expect(await find(idAt(0), { recordedMs: 0 })).toEqual({ found: 'found', attempts: 1 });
  expect(await find(idAt(-100), { recordedMs: 300 })).toEqual({ found: 'found', attempts: 5 });
  // The capturing machine's clock may be ahead.
  expect(await find(idAt(500), { recordedMs: 2_000 })).toMatchObject({ found: 'found' });
});

it('does not wait for what cannot be on its way, and not for long', async () => {
  for (const id of [idAt(-60_000), idAt(60_000), 'te_1', 'x', ''])
    expect(await find(id)).toEqual({ found: undefined, attempts: 1 });
  expect(await find(idAt(0), { signal: AbortSignal.abort() })).toEqual({ found: undefined, attempts: 1 });
  expect(await find(idAt(0), { recordedMs: 3_000 })).toEqual({ found: undefined, attempts: 8 });
});
