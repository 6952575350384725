import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { destination } from '../testing/destinations.ts';
import { getDestination } from './get-destination.ts';

it('is NOT_FOUND where the account has none of that id', async () => {
  const destinations = {
    find: (_ctx: unknown, _accountId: string, id: string) =>
      Promise.resolve(id === 'dst_1' ? destination() : undefined),
  };
  expect(await getDestination({ destinations }, testContext(), 'dst_1')).toEqual(destination());
  await expect(getDestination({ destinations }, testContext(), 'dst_2')).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: 'The destination does not exist.',
  });
});
