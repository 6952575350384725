import { expect, test } from 'vitest';
import { ConnectionSlots } from './connection-slots.ts';

const never = new AbortController().signal;

test('at most the limit of calls with one key run at once, in the order of arrival; other keys are not delayed', async () => {
  const slots = new ConnectionSlots(2);
  const log: string[] = [];
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const runs = gates.map((gate, index) =>
    slots.run('noisy', never, async () => {
      log.push(`start ${index}`);
      await gate.promise;
    }),
  );
  await slots.run('other', never, () => Promise.resolve(log.push('other')));
  expect(log).toEqual(['start 0', 'start 1', 'other']);
  gates[1]?.resolve();
  await runs[1];
  await expect.poll(() => log.at(-1)).toBe('start 2');
  for (const gate of gates) gate.resolve();
  await Promise.all(runs);
  expect(log).toEqual(['start 0', 'start 1', 'other', 'start 2', 'start 3']);
});

test('a call that waits too long is TIMEOUT without having run, and leaves the queue', async () => {
  const slots = new ConnectionSlots(1);
  const gate = Promise.withResolvers<void>();
  const deadline = new AbortController();
  const running = slots.run('key', never, () => gate.promise);
  const late = slots.run('key', deadline.signal, () => Promise.reject(new Error('must not run')));
  const patient = slots.run('key', never, () => Promise.resolve('ran'));
  deadline.abort();
  await expect(late).rejects.toMatchObject({ code: 'TIMEOUT' });
  gate.resolve();
  await running;
  await expect(patient).resolves.toBe('ran');
});

test('an aborted call does not start', async () => {
  await expect(
    new ConnectionSlots(1).run('key', AbortSignal.abort(), () => Promise.resolve()),
  ).rejects.toMatchObject({
    code: 'TIMEOUT',
  });
});

test.each([0, 1, 2, 3, 4, 5, 6])(
  'an abort around the moment of the handover (%i microtasks later) does not take another call’s slot',
  async (hops) => {
    const slots = new ConnectionSlots(1);
    const gate = Promise.withResolvers<void>();
    const deadline = new AbortController();
    const running = slots.run('key', never, () => gate.promise);
    const second = slots.run('key', deadline.signal, () => Promise.resolve('second'));
    const third = slots.run('key', never, () => Promise.resolve('third'));
    const ends = Promise.allSettled([running, second]);
    gate.resolve();
    for (let hop = 0; hop < hops; hop += 1) await Promise.resolve();
    deadline.abort();
    await ends;
    await expect(third).resolves.toBe('third');
  },
  2_000,
);

test('a failing call frees its slot', async () => {
  const slots = new ConnectionSlots(1);
  await expect(slots.run('key', never, () => Promise.reject(new Error('vendor')))).rejects.toThrow('vendor');
  await expect(slots.run('key', never, () => Promise.resolve('next'))).resolves.toBe('next');
});
