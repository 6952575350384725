import { testContext } from '@fairlead/service-kit/testing/context';
import { VirtualTime } from '@fairlead/service-kit/testing/virtual-time';
import { expect, test } from 'vitest';
import { readAnnouncedTools } from './read-announced-tools.ts';

test('a server that announces changes all the time has its tools read less and less often', async () => {
  const time = new VirtualTime(0);
  const readAt: number[] = [];
  const connections = {
    readToolsAgain(_ctx: unknown, of: object) {
      expect(of).toEqual({ connectionId: 7, isAnnounced: true });
      readAt.push(time.nowMs);
      return readAt.length === 2 ? Promise.reject(new Error('away')) : Promise.resolve(true);
    },
  };
  const deps = { connections, timers: time.timers(() => true) };
  const announce = readAnnouncedTools(deps, testContext(), 7);
  for (let atMs = 0; atMs < 10_000; atMs += 500) {
    announce();
    await new Promise(setImmediate);
    await time.runUntil(atMs + 500);
  }
  expect(readAt).toEqual([0, 1_000, 3_000, 7_000]);
  await time.runUntil(100_000);
  expect(readAt).toEqual([0, 1_000, 3_000, 7_000, 15_000]);
  announce();
  announce();
  await new Promise(setImmediate);
  await time.runUntil(200_000);
  expect(readAt).toEqual([0, 1_000, 3_000, 7_000, 15_000, 100_000, 101_000]);
});
