import { expect, it } from 'vitest';
import { pacedEvents } from './paced-events.ts';

async function* endless(text: string) {
  for (;;) yield await Promise.resolve(Buffer.from(text));
}

it.each([
  ['many events', 'data: x\n\n'.repeat(100)],
  ['tiny pieces', ':'],
])('a stream of %s is read only for a moment at once', async (_what, text) => {
  const stop = new AbortController();
  let pieces = 0;
  const measure = <T>(work: () => T): T => {
    pieces += 1;
    return work();
  };
  let events = 0;
  const read = async (): Promise<void> => {
    for await (const { data } of pacedEvents(endless(text), { signal: stop.signal, measure }))
      events += data.length;
  };
  const reading = read();
  // The whole stream is available, so other code first runs at the reader's first pause.
  await new Promise(setImmediate);
  expect(events).toBeLessThan(5_000);
  expect(pieces).toBeLessThan(5_000);
  stop.abort();
  await expect(reading).rejects.toThrow('aborted');
});
