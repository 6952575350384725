import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { deleteTrigger } from './delete-trigger.ts';

it('removes the trigger, or is NOT_FOUND', async () => {
  const triggers = {
    delete: (_ctx: unknown, _account: string, id: string) => Promise.resolve(id === 'trg_1'),
  };
  await deleteTrigger({ triggers }, testContext(), 'trg_1');
  const missing = deleteTrigger({ triggers }, testContext(), 'trg_2');
  await expect(missing).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
