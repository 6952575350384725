import { expect, test } from 'vitest';
import { createOpenPolls } from './open-polls.ts';

/** A poll that ends when its signal aborts. */
const untilEnd = (signal: AbortSignal): Promise<string> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve('ended');
    else signal.addEventListener('abort', () => resolve('ended'));
  });
const { signal: present } = new AbortController();

test('a newer poll of a token ends the earlier one, not those of other tokens', async () => {
  const polls = createOpenPolls();
  const earlier = polls.run('a', present, untilEnd);
  let hasEnded = false;
  const other = polls.run('b', present, async (signal) => {
    const end = await untilEnd(signal);
    hasEnded = true;
    return end;
  });
  const newer = polls.run('a', present, untilEnd);
  expect(await earlier).toBe('ended');
  expect(hasEnded).toBe(false);
  polls.drain();
  expect(await Promise.all([other, newer])).toEqual(['ended', 'ended']);
});

test('once the replica stops, polls end at once', async () => {
  const polls = createOpenPolls();
  polls.drain();
  expect(await polls.run('a', present, untilEnd)).toBe('ended');
});
