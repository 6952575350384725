import { describe, expect, it } from 'vitest';
import { FairleadConnectionError, FairleadError, FairleadTimeoutError } from './errors.ts';
import { retryDelayMs, wait } from './retry.ts';

const policy = { maxRetries: 2, maxRetryAfterSeconds: 60 };
const refused = (status: number, retryAfterSeconds?: number, errorCode?: string): FairleadError =>
  new FairleadError({
    status,
    errorCode,
    message: 'm',
    requestId: undefined,
    details: [],
    candidates: [],
    approvalId: undefined,
    retryAfterSeconds,
  });
const once = { attempt: 0, isSafe: false, hasKey: false, policy, random: () => 0 };

describe('what may be sent again', () => {
  const safe = { isSafe: true, hasKey: false };
  const keyed = { isSafe: false, hasKey: true };
  const bare = { isSafe: false, hasKey: false };
  it.each([
    ['429', refused(429, 1), { safe: true, keyed: true, bare: true }],
    ['503', refused(503), { safe: true, keyed: true, bare: false }],
    ['504', refused(504), { safe: true, keyed: false, bare: false }],
    ['no answer', new FairleadConnectionError('gone'), { safe: true, keyed: true, bare: false }],
    ['a late answer', new FairleadTimeoutError('late'), { safe: true, keyed: true, bare: false }],
    [
      'an earlier try that still runs',
      refused(409, undefined, 'IDEMPOTENCY_IN_PROGRESS'),
      { safe: false, keyed: true, bare: false },
    ],
    ['another conflict', refused(409, undefined, 'CONFLICT'), { safe: false, keyed: false, bare: false }],
    ['500', refused(500), { safe: false, keyed: false, bare: false }],
    ['400', refused(400), { safe: false, keyed: false, bare: false }],
  ])('%s', (_, error, expected) => {
    const may = (kind: typeof safe): boolean => retryDelayMs(error, { ...once, ...kind }) !== undefined;
    expect({ safe: may(safe), keyed: may(keyed), bare: may(bare) }).toEqual(expected);
  });
});

describe('how long it waits', () => {
  it('waits as long as Retry-After, to the second, up to the bound', () => {
    expect(retryDelayMs(refused(429, 1), once)).toBe(1000);
    expect(retryDelayMs(refused(429, 60), once)).toBe(60_000);
    expect(retryDelayMs(refused(429, 61), once)).toBeUndefined();
    expect(retryDelayMs(refused(429, 3600), once)).toBeUndefined();
  });

  it('twice as long each time without one, never longer than 8 s, and never at once', () => {
    const delays = (random: () => number): (number | undefined)[] =>
      [0, 1, 2, 3, 4, 5].map((attempt) =>
        retryDelayMs(refused(429), { ...once, attempt, random, policy: { ...policy, maxRetries: 9 } }),
      );
    expect(delays(() => 0)).toEqual([250, 500, 1000, 2000, 4000, 4000]);
    expect(delays(() => 1)).toEqual([500, 1000, 2000, 4000, 8000, 8000]);
  });

  it('not at all once the tries are used up', () => {
    expect(retryDelayMs(refused(429, 1), { ...once, attempt: 1 })).toBe(1000);
    expect(retryDelayMs(refused(429, 1), { ...once, attempt: 2 })).toBeUndefined();
  });

  it('an abort ends the waiting with its reason', async () => {
    const reason = new Error('enough');
    const controller = new AbortController();
    const waiting = wait(3_600_000, controller.signal);
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(wait(3_600_000, controller.signal)).rejects.toBe(reason);
    await expect(wait(0, undefined)).resolves.toBeUndefined();
  });
});
