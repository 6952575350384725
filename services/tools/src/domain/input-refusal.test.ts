import { expect, it } from 'vitest';
import { inputRefusal } from './input-refusal.ts';

it('names each input, with secrets masked', () => {
  const issues = [{ field: 'fields.path', issue: 'must not hold top-secret-1' }];
  expect(inputRefusal(issues, ['top-secret-1'])).toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'fields.path', issue: 'must not hold ***' }],
  });
});
