import { expect, test } from 'vitest';
import { callCountsOf, callsBetween } from './call-counts.ts';
import type { CallCount } from './call-counts.ts';
import { compareTracks } from './compare-tracks.ts';

const BOUNDS = { maxErrorDifference: 0.02, maxLatencyRatio: 1.5, minCalls: 50 };

const count = (
  track: CallCount['track'],
  calls: number,
  seconds: number,
  o: Partial<CallCount> = {},
): CallCount => ({ method: 'm', code: 'OK', track, calls, seconds, ...o });

test('the verdict follows from failures, not from refusals of callers', () => {
  const calls = (canaryCode: string) => [
    count('stable', 98, 9.8),
    count('stable', 2, 0.2, { code: 'INTERNAL' }),
    count('canary', 95, 9.5),
    count('canary', 5, 0.5, { code: canaryCode }),
  ];
  expect(compareTracks(calls('INTERNAL'), BOUNDS)).toMatchObject({ verdict: 'worse', canary: { failed: 5 } });
  expect(compareTracks(calls('AN_UNKNOWN_ONE'), BOUNDS).verdict).toBe('worse');
  for (const code of ['NOT_FOUND', 'NO_DEFAULT_CONNECTION', 'CONNECTION_IN_USE', 'RATE_LIMIT_EXCEEDED'])
    expect(compareTracks(calls(code), BOUNDS)).toMatchObject({ verdict: 'not worse', canary: { failed: 0 } });
});

test('latency is compared method by method, so that another mix of methods is no difference', () => {
  const mixed = [
    count('stable', 90, 0.9, { method: 'quick' }),
    count('stable', 10, 10, { method: 'slow' }),
    count('canary', 10, 0.1, { method: 'quick' }),
    count('canary', 90, 90, { method: 'slow' }),
    count('canary', 100, 1000, { method: 'of the canary alone' }),
  ];
  const same = compareTracks(mixed, BOUNDS);
  expect(same.verdict).toBe('not worse');
  expect(same.canary.meanSeconds).toBeCloseTo(same.stable.meanSeconds ?? 0);
  const slower = [count('stable', 100, 10), count('canary', 100, 16)];
  expect(compareTracks(slower, BOUNDS)).toMatchObject({
    verdict: 'worse',
    reasons: ['the canary’s calls take 1.60 times as long'],
  });
});

test('few calls of either track tell nothing', () => {
  for (const [stable, canary] of [
    [49, 500],
    [500, 49],
    [0, 0],
  ] as const)
    expect(compareTracks([count('stable', stable, 1), count('canary', canary, 99)], BOUNDS).verdict).toBe(
      'cannot tell',
    );
});

test('the calls of an interval are differences, of this service only; a restarted process counts from 0', () => {
  const line = (service: string, value: number): string =>
    `rpc_client_duration_seconds_count{service="${service}",method="M",code="OK",track="canary"} ${value}\n`;
  const before = callCountsOf(line('fairlead.tools.v1.A', 5) + line('fairlead.tools.v1.B', 9), 'tools');
  const after = callCountsOf(
    line('fairlead.tools.v1.A', 8) + line('fairlead.tools.v1.B', 2) + line('fairlead.toolsets.v1.C', 7),
    'tools',
  );
  expect(callsBetween(before, after).map(({ method, calls }) => [method, calls])).toEqual([
    ['fairlead.tools.v1.A/M', 3],
    ['fairlead.tools.v1.B/M', 2],
  ]);
});
