import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { listConnectionUses } from './list-connection-uses.ts';

it('names triggers by kind and id', async () => {
  const triggers = { listUses: () => Promise.resolve(['trg_1', 'trg_2']) };
  expect(await listConnectionUses({ triggers }, testContext(), 7)).toEqual([
    'trigger:trg_1',
    'trigger:trg_2',
  ]);
});
