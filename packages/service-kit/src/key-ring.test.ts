import { describe, expect, it } from 'vitest';
import { parseKeyRing } from './key-ring.ts';

const base64 = (fill: number): string => Buffer.alloc(32, fill).toString('base64');

describe('a key ring', () => {
  it('has the first key as its current one', () => {
    const v2 = parseKeyRing(`v2:${base64(2)},v1:${base64(1)}`);
    expect(v2.current).toBe('v2');
    expect([...v2.keys.keys()]).toEqual(['v2', 'v1']);
  });

  it.each([
    ['', 'key 1 is not'],
    ['v1', 'key 1 is not'],
    [`v1:${base64(1)},`, 'key 2 is not'],
    ['v1:AAAA', 'key v1 has 3 bytes'],
    [`v1:${base64(1)},v1:${base64(2)}`, 'key v1 is listed twice'],
  ])('"%s" is refused', (text, message) => {
    expect(() => parseKeyRing(text)).toThrow(message);
  });

  it('never shows a key, not even in its error', () => {
    const key = base64(1);
    expect(JSON.stringify([...parseKeyRing(`v1:${key}`).keys])).not.toContain(key);
    expect(() => parseKeyRing(`v1:${key}${key}`)).toThrow(/^key 1 is not <version>:<base64 of 32 bytes>$/);
  });
});
