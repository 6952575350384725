import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { memoryTriggers, trigger } from '../testing/triggers.ts';
import { getTrigger } from './get-trigger.ts';

it('returns the trigger, or NOT_FOUND', async () => {
  const deps = { triggers: memoryTriggers(trigger()) };
  expect(await getTrigger(deps, testContext(), 'trg_1')).toEqual(trigger());
  await expect(getTrigger(deps, testContext(), 'trg_2')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
