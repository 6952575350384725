import { setTimeout as delay } from 'node:timers/promises';
import { pssBytesOf } from '../faults/support/processes.ts';

const LOOKS = 30;
const LOOK_MS = 1_000;
const STABLE = 0.002;

/** The total memory of these processes in bytes, once stable. */
export async function settledBytes(ids: readonly number[]): Promise<number> {
  const read = (): number => ids.reduce((sum, id) => sum + pssBytesOf(id), 0);
  let before = read();
  for (let look = 0; look < LOOKS; look += 1) {
    await delay(LOOK_MS);
    const now = read();
    if (look > 4 && Math.abs(now - before) < before * STABLE) return now;
    before = now;
  }
  return before;
}
