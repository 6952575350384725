import { expect, it } from 'vitest';
import { maskCredential, maskSecrets } from './secret-masking.ts';
import { testCredential, testField, testMethod } from './testing/calls.ts';

it('masks every secret, longest first, in each form that requests carry it in', () => {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  expect(maskSecrets('a secret-long, a secret, p%20s%2Fs p+s%2Fs', ['secret', 'secret-long', 'p s/s'])).toBe(
    'a ***, a ***, *** ***',
  );
  expect(maskSecrets(String.raw`{"a":"se\"cret"}`, ['se"cret'])).toBe('{"a":"***"}');
  expect(maskSecrets(`x ${base64('secret')} Basic ${base64('me:secret')}`, ['secret'])).toBe(
    'x *** Basic ***',
  );
  expect(maskSecrets(`Basic ${base64('me:other')}`, ['secret'])).toBe(`Basic ${base64('me:other')}`);
});

it('treats a secret as literal text, not as a pattern', () => {
  expect(maskSecrets(String.raw`a.*b axxb $& \ `, ['a.*b', '$&', ''])).toBe(String.raw`*** axxb *** \ `);
});

it('masks a short secret only as a word of its own', () => {
  expect(maskSecrets('a cat: pin 12, not 123', ['12', 'ca', ''])).toBe('a cat: pin ***, not 123');
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
