import { UInt32ValueSchema } from '@bufbuild/protobuf/wkt';
import { expect, inject, onTestFinished, test } from 'vitest';
import { captureLog } from '../testing/log-lines.ts';
import { openLink } from '../testing/network.ts';
import { newEvent, openTestNats } from '../testing/nats.ts';
import type { TextEvent } from '../testing/nats.ts';
import type { Nats } from './nats.ts';
import { NatsUnavailableError } from './unavailable.ts';

const LIMIT = { timeoutMs: 60_000 };

/** Addressed requests of a process that answers with the text's length and records the requests. */
function join(nats: Nats, event: TextEvent) {
  const asked: string[] = [];
  const requests = nats.addressed({ event, reply: UInt32ValueSchema }, (address, { value }) => {
    asked.push(`${address}: ${value}`);
    if (value === 'bad') throw new Error('no');
    return { value: value.length };
  });
  return { asked, requests };
}

test('a request is answered by the process that has the address, for as long as it has it', async () => {
  const event = newEvent();
  const [one, other] = [join(await openTestNats(), event), join(await openTestNats(), event)];
  await one.requests.take('a-1');
  await other.requests.take('b_2');
  expect(await other.requests.ask('a-1', { value: 'four' }, LIMIT)).toMatchObject({ value: 4 });
  expect(await other.requests.ask('b_2', { value: 'own' }, LIMIT)).toMatchObject({ value: 3 });
  expect([one.asked, other.asked]).toEqual([['a-1: four'], ['b_2: own']]);
  one.requests.leave('a-1');
  // A request in progress when the address was left gets no answer.
  const ask = () => other.requests.ask('a-1', { value: '' }, { timeoutMs: 500 });
  await expect.poll(() => ask().catch(() => 'no answer')).toBeUndefined();
});

test('an address that nobody has is told from one whose process does not answer', async () => {
  const event = newEvent();
  const { log, lines } = captureLog();
  const { requests } = join(await openTestNats({ log }), event);
  await requests.take('a');
  expect(await requests.ask('b', { value: '' }, LIMIT)).toBeUndefined();
  await expect(requests.ask('a', { value: 'bad' }, { timeoutMs: 100 })).rejects.toThrow(NatsUnavailableError);
  await expect.poll(() => lines().map(({ msg }) => msg)).toContain('could not handle a request');
});

test.each(['', 'a.b', '*', '>', 'a b'])('%j is no address', async (address) => {
  const { requests } = join(await openTestNats(), newEvent());
  await expect(requests.take(address)).rejects.toThrow(TypeError);
});

test('an address is taken again on the next connection; while there is none, nobody is asked', async () => {
  const event = newEvent();
  const path = await openLink(Number(new URL(inject('natsUrl')).port));
  onTestFinished(() => path.close());
  const near = join(await openTestNats(), event);
  const nats = await openTestNats({ url: `nats://127.0.0.1:${path.port}` });
  const far = join(nats, event);
  await far.requests.take('before');
  await path.set({ kind: 'reset' });
  await expect.poll(() => nats.isLive()).toBe(false);
  await far.requests.take('meanwhile');
  await far.requests.take('left');
  far.requests.leave('left');
  expect(await far.requests.ask('before', { value: '' }, LIMIT)).toBeUndefined();
  await path.set({ kind: 'pass' });
  for (const address of ['before', 'meanwhile'])
    await expect.poll(() => near.requests.ask(address, { value: 'x' }, LIMIT)).toMatchObject({ value: 1 });
  expect(await near.requests.ask('left', { value: '' }, LIMIT)).toBeUndefined();
});

test('a message may be as large as the server allows', async () => {
  const event = newEvent();
  const { requests } = join(await openTestNats(), event);
  await requests.take('a');
  const value = 'x'.repeat(requests.maxBytes() - 100);
  expect(await requests.ask('a', { value }, LIMIT)).toMatchObject({ value: value.length });
});
