import { expect, test } from 'vitest';
import { newEvent, openTestNats, streamManager, streamOf } from '../testing/nats.ts';
import { NatsUnavailableError } from './unavailable.ts';

async function openLog() {
  const event = newEvent();
  const stream = streamOf(event, { isAddressed: true });
  const nats = await openTestNats({ streams: [stream] });
  return { log: nats.log({ event, stream }), nats, stream };
}

test('messages of an address come in their order after a number, up to a limit; no consumer is left', async () => {
  const { log, stream } = await openLog();
  expect(await log.after('a', 0, 10)).toEqual([]);
  const first = await log.append('a', { value: 'one' });
  await log.append('b', { value: 'of another' });
  for (const value of ['two', 'three', 'four']) await log.append('a', { value });
  const after = async (address: string, sequence: number, limit = 10) =>
    (await log.after(address, sequence, limit)).map(({ message }) => message.value);
  expect(await after('a', 0)).toEqual(['one', 'two', 'three', 'four']);
  expect(await after('a', first)).toEqual(['two', 'three', 'four']);
  expect(await after('a', first, 2)).toEqual(['two', 'three']);
  const last = (await log.after('a', first, 10)).at(-1);
  expect(await after('a', last?.sequence ?? 0)).toEqual([]);
  expect(await after('c', 0)).toEqual([]);
  const { state } = await (await streamManager()).streams.info(stream.name);
  expect(state.consumer_count).toBe(0);
});

test('a number that the stream never had is from before it was recreated: all messages come', async () => {
  const { log } = await openLog();
  await log.append('a', { value: 'new' });
  expect(await log.after('a', 1_000, 10)).toMatchObject([{ message: { value: 'new' } }]);
});

test.each(['', 'a.b', '*', '>'])('%j is no address', async (address) => {
  const { log } = await openLog();
  expect(() => log.append(address, { value: '' })).toThrow(TypeError);
  expect(() => log.after(address, 0, 1)).toThrow(TypeError);
});

test('a log that cannot be reached says so', async () => {
  const { log, nats } = await openLog();
  await nats.close();
  await expect(log.append('a', { value: '' })).rejects.toThrow(NatsUnavailableError);
  await expect(log.after('a', 0, 1)).rejects.toThrow(NatsUnavailableError);
});
