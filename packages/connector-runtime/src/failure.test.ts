import { expect, test } from 'vitest';
import { CallFailure, VendorRefusal } from './failure.ts';

test('a failure says what it says, and only other errors have a stack', () => {
  const cause = new Error('The socket broke.');
  const failure = new CallFailure('The vendor could not be reached.', { cause });
  expect(failure).toMatchObject({ message: 'The vendor could not be reached.', cause });
  for (const each of [failure, new VendorRefusal('No.')]) expect(each.stack).not.toContain('failure.test.ts');
  expect(new Error('A defect.').stack).toContain('failure.test.ts');
});
