import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { MADE_AT, memoryWebhooks } from '../testing/triggers.ts';
import { deleteTrigger } from './delete-trigger.ts';

it('removes the trigger and has its registrations looked at, or is NOT_FOUND', async () => {
  const triggers = {
    delete: (_ctx: unknown, _account: string, id: string) => Promise.resolve(id === 'trg_1'),
  };
  const webhooks = memoryWebhooks();
  const deps = { triggers, webhooks, clock: new ManualClock(MADE_AT) };
  await deleteTrigger(deps, testContext(), 'trg_1');
  expect(webhooks.steps).toEqual(['look at {"triggerId":"trg_1"}', 'look at {"triggerId":"trg_1"}']);
  const missing = deleteTrigger(deps, testContext(), 'trg_2');
  await expect(missing).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
