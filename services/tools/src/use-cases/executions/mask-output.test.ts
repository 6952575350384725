import { createMasker } from '@fairlead/connector-runtime/value-masking';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { maskingInPlace } from '../../testing/tool-calls.ts';
import { maskOutput } from './mask-output.ts';

const ctx = testContext({ accountId: 'acc_1' });
const masker = createMasker(['s-3cret']);
const mask = (text: string) =>
  maskOutput({ outputMasker: maskingInPlace }, ctx, Date.now() + 60_000, { text }, masker);

test('an output is given out masked', async () => {
  expect(await mask('a s-3cret')).toMatchObject({ isSuccess: true, output: { text: 'a ***' } });
});

test('a large output that no worker masks in time is not given out', async () => {
  const outcome = await mask(`s-3cret ${'x'.repeat(100_000)}`);
  expect(outcome).toMatchObject({
    isSuccess: false,
    errorMessage: expect.stringContaining('could not be searched for secrets in time') as string,
  });
  expect(JSON.stringify(outcome)).not.toContain('s-3cret');
});
