import { platformContext } from '@fairlead/service-kit/testing/account-data';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { findMissingEvents } from './find-missing-events.ts';

const deliveries = { findMissing: (ids: readonly string[]) => Promise.resolve(ids.slice(1)) };

it('is for the platform, and at most ten thousand ids', async () => {
  expect(await findMissingEvents({ deliveries }, platformContext, ['te_1', 'te_2'])).toEqual(['te_2']);
  expect(await findMissingEvents({ deliveries }, platformContext, [])).toEqual([]);
  await expect(findMissingEvents({ deliveries }, testContext(), ['te_1'])).rejects.toMatchObject({
    code: 'FORBIDDEN',
  });
  const many = Array.from({ length: 10_001 }, (_, at) => `te_${String(at)}`);
  await expect(findMissingEvents({ deliveries }, platformContext, many)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
});
