import { expect, test } from 'vitest';
import { boundWork } from './bounded-work.ts';

test('so much runs at once, so much waits its turn, and what comes then is refused unbegun', async () => {
  const run = boundWork({ concurrency: 2, waiting: 3 });
  const begun: number[] = [];
  const ends = Array.from({ length: 6 }, () => Promise.withResolvers<number>());
  const work = ends.map(({ promise }, index) =>
    run(() => {
      begun.push(index);
      return promise;
    }),
  );
  await expect(work[5]).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(begun).toEqual([0, 1]);
  ends[1]?.resolve(10);
  expect(await work[1]).toBe(10);
  await expect.poll(() => begun).toEqual([0, 1, 2]);
  const later = run(() => Promise.resolve(60));
  // One that fails frees its place as well.
  ends[0]?.reject(new Error('failed'));
  await expect(work[0]).rejects.toThrow('failed');
  for (const end of ends) end.resolve(0);
  expect(await Promise.all(work.slice(2, 5))).toEqual([0, 0, 0]);
  expect(await later).toBe(60);
  expect(begun).toEqual([0, 1, 2, 3, 4]);
});
