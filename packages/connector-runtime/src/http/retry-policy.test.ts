import { describe, expect, it } from 'vitest';
import { retryDelayMs } from './retry-policy.ts';

const NOW = new Date('2026-11-21T10:00:00Z');
const delay = (parts: Partial<Parameters<typeof retryDelayMs>[0]> = {}): number | undefined =>
  retryDelayMs({ attempt: 1, retryAfter: undefined, remainingMs: 60_000, random: 1, now: NOW, ...parts });

describe('retryDelayMs', () => {
  it('doubles, and spreads over the upper half', () => {
    expect([delay(), delay({ attempt: 2 })]).toEqual([250, 500]);
    expect(delay({ random: 0 })).toBe(125);
  });

  it('ends after three attempts', () => {
    expect(delay({ attempt: 3 })).toBeUndefined();
  });

  it('is never earlier than Retry-After, in seconds or as a date', () => {
    expect(delay({ retryAfter: '3' })).toBe(3000);
    expect(delay({ retryAfter: '2.5' })).toBe(2500);
    expect(delay({ retryAfter: 'Sat, 21 Nov 2026 10:00:05 GMT' })).toBe(5000);
    expect(delay({ retryAfter: 'Sat, 21 Nov 2026 09:00:00 GMT' })).toBe(250);
    expect(delay({ retryAfter: 'soon' })).toBe(250);
  });

  it('plans nothing beyond the deadline', () => {
    expect(delay({ remainingMs: 250 })).toBeUndefined();
    expect(delay({ retryAfter: '60' })).toBeUndefined();
  });
});
