import { expect, test } from 'vitest';
import { keptScopes } from './granted-scopes.ts';

test('scopes are kept once each, without secrets', () => {
  expect(keptScopes(['read', 'as-t0ken', 'read'], ['t0ken'])).toEqual(['read', 'as-***']);
});

test('at most 200 scopes of at most 256 characters are kept', () => {
  const long = 'x'.repeat(256);
  expect(keptScopes([long, `${long}x`], [])).toEqual([long]);
  const many = Array.from({ length: 201 }, (_, index) => `s${index}`);
  expect(keptScopes(many, [])).toEqual(many.slice(0, 200));
});
