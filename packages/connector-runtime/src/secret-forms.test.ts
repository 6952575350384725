import { expect, it } from 'vitest';
import { secretForms } from './secret-forms.ts';

const SECRET = 's3cr?t "key"/+ü~>';

it.each([
  ['as it is', SECRET],
  ['in a URL', encodeURIComponent(SECRET)],
  ['in a form', new URLSearchParams({ secret: SECRET }).toString()],
  ['in JSON', JSON.stringify({ secret: SECRET })],
  ['in base64', Buffer.from(SECRET).toString('base64')],
  ['in base64 of its own in a URL', encodeURIComponent(Buffer.from(SECRET).toString('base64'))],
  ['in base64url', Buffer.from(SECRET).toString('base64url')],
  ...['a', 'ab', 'abc', 'user:'].flatMap((before): [string, string][] => [
    [`in base64 behind ${before}`, Buffer.from(`${before}${SECRET}`).toString('base64')],
    [`in base64url between ${before} and more`, Buffer.from(`${before}${SECRET}, x`).toString('base64url')],
    [
      `in a header of Basic authentication in a URL behind ${before}`,
      encodeURIComponent(`Basic ${Buffer.from(`${before}${SECRET}`).toString('base64')}`),
    ],
  ]),
])('finds a secret %s', (_where, text) => {
  expect(secretForms(SECRET).some((form) => text.includes(form))).toBe(true);
});

it('does not treat short base64 pieces, which occur in ordinary text, as secrets', () => {
  expect(secretForms('test')).toEqual(['test', 'dGVzdA==', 'dGVzdA', 'dGVzdA%3D%3D']);
});
