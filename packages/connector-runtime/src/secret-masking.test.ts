import { expect, it } from 'vitest';
import { maskCredential, maskSecrets } from './secret-masking.ts';
import { testCredential, testField, testMethod } from './testing/calls.ts';

it('masks every secret, longest first, as it is and percent-encoded', () => {
  expect(maskSecrets('a secret-long, a secret, a p%20ss', ['secret', 'secret-long', 'p ss'])).toBe(
    'a ***, a ***, a ***',
  );
});

it('leaves the text whole where a secret is too short to tell from words', () => {
  expect(maskSecrets('a cat', ['a', ''])).toBe('a cat');
});

it('masks secret fields by their descriptor and by their value, and the access token', () => {
  const method = testMethod(undefined, {
    fields: [
      testField('key', { isPassword: true }),
      testField('id', { maskInLogs: true }),
      testField('name'),
    ],
  });
  const credential = testCredential(
    { key: 'k', id: 'i', name: 'n', other: 's3cret' },
    { accessToken: 'token', secrets: ['s3cret'] },
  );
  expect(maskCredential(method, credential)).toMatchObject({
    fields: { key: '***', id: '***', name: 'n', other: '***' },
    accessToken: '***',
  });
});
