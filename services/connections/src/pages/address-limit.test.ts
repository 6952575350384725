import { ManualClock } from '@fairlead/service-kit/clock';
import { expect, test } from 'vitest';
import { createAddressLimit } from './address-limit.ts';

test('an address may send 600 at once, then one each 100 ms; others are not affected', () => {
  const clock = new ManualClock(new Date('2026-01-01T00:00:00Z'));
  const take = createAddressLimit({ clock });
  const waits = Array.from({ length: 602 }, () => take('192.0.2.1'));
  expect(waits).toEqual([...Array.from({ length: 600 }, () => 0), 100, 100]);
  expect(take('192.0.2.2')).toBe(0);
  clock.advance(100);
  expect([take('192.0.2.1'), take('192.0.2.1')]).toEqual([0, 100]);
  clock.advance(60_000);
  expect(Array.from({ length: 601 }, () => take('192.0.2.1')).filter((wait) => wait === 0)).toHaveLength(600);
});

test('addresses of one IPv6 network count together', () => {
  const take = createAddressLimit({ clock: new ManualClock(new Date('2026-01-01T00:00:00Z')) });
  for (let host = 0; host < 600; host += 1) expect(take(`2001:db8:1:2::${host.toString(16)}`)).toBe(0);
  expect(take('2001:db8:1:2:ffff::1')).toBe(100);
});
