import { expect, it } from 'vitest';
import { FormerWire } from './former-wire.ts';

it('a connection is known for an hour, or until its server answers no more', () => {
  let now = 0;
  const wire = new FormerWire(() => now);
  expect(wire.isSpoken('7')).toBe(false);
  wire.note('7');
  now = 3_599_999;
  expect([wire.isSpoken('7'), wire.isSpoken('8')]).toEqual([true, false]);
  now = 3_600_000;
  expect(wire.isSpoken('7')).toBe(false);
  wire.note('7');
  wire.forget('7');
  expect(wire.isSpoken('7')).toBe(false);
});

it('no more than a thousand connections are kept', () => {
  const wire = new FormerWire(() => 0);
  for (let connection = 0; connection <= 1_000; connection += 1) wire.note(String(connection));
  expect([wire.isSpoken('0'), wire.isSpoken('1'), wire.isSpoken('1000')]).toEqual([false, true, true]);
});
