import { expect, test } from 'vitest';
import { placeOf } from './place.ts';

test('the addresses of an IPv6 network are one place', () => {
  expect(placeOf('2001:db8:1:2::1')).toBe(placeOf('2001:db8:1:2:aaaa::9'));
  expect(placeOf('2001:db8:1:2::1')).not.toBe(placeOf('2001:db8:1:3::1'));
  expect(placeOf('::ffff:203.0.113.9')).toBe('203.0.113.9');
});
