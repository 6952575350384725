import { expect, it } from 'vitest';
import { HOOK_TYPE, MADE_AT, SCHEDULE_TYPE } from '../testing/triggers.ts';
import { startTrigger } from './start-trigger.ts';

it('a schedule first fires one period after it was enabled; what others call does not run by itself', () => {
  const first = startTrigger(SCHEDULE_TYPE, { configuration: { everySeconds: 60 } }, MADE_AT);
  expect(first).toEqual(new Date(MADE_AT.getTime() + 60_000));
  expect(startTrigger(HOOK_TYPE, { configuration: {} }, MADE_AT)).toBeNull();
});
