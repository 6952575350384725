import { TRACKS } from './call-counts.ts';
import type { CallCount, Track } from './call-counts.ts';

/** Bounds within which a canary counts as no worse than stable. */
export interface Bounds {
  /** The maximum by which the canary's share of failed calls may exceed stable's, 0 to 1. */
  readonly maxErrorDifference: number;
  /** The maximum ratio of the canary's mean duration to stable's, over the same methods. */
  readonly maxLatencyRatio: number;
  /** The minimum number of calls of each track. */
  readonly minCalls: number;
}

/** The calls of one track. */
interface TrackFigures {
  readonly track: Track;
  readonly calls: number;
  readonly failed: number;
  /** Share of failed calls; 0 without calls. */
  readonly errorShare: number;
  /** Mean duration over the methods that both tracks were called with, weighted by the canary's calls; null: there is no such method. */
  readonly meanSeconds: number | null;
}

/** The comparison of the tracks of a service. */
export interface Comparison {
  readonly stable: TrackFigures;
  readonly canary: TrackFigures;
  readonly verdict: 'not worse' | 'worse' | 'cannot tell';
  readonly reasons: readonly string[];
}

/** Codes that the caller causes; every other code but OK is a failure of the service. */
const REFUSALS =
  /^(?:VALIDATION_ERROR|MALFORMED_BODY|UNAUTHORIZED|FORBIDDEN|NOT_FOUND|CONFLICT|METHOD_NOT_ALLOWED|PAYLOAD_TOO_LARGE|UNSUPPORTED_MEDIA_TYPE|RATE_LIMIT_EXCEEDED|EMPTY_QUERY|ACCOUNT_USER_INACTIVE|(?:INVALID|WRONG|OAUTH|AMBIGUOUS|NO|IDEMPOTENCY|APPROVAL|OPA_AGENT)_\w+|\w+_(?:BLOCKED|IN_USE|NOT_IN_TOOLSET))$/;
/** A mean over fewer calls is not meaningful. */
const FEWEST_OF_METHOD = 5;

/** Compares the calls of the two tracks. */
export function compareTracks(counts: readonly CallCount[], bounds: Bounds): Comparison {
  const means = meansOf(counts);
  const [stable, canary] = TRACKS.map((track) => figuresOf(counts, track, means[track]));
  if (stable === undefined || canary === undefined) throw new Error('There are two tracks.');
  const few = [stable, canary].filter(({ calls }) => calls < bounds.minCalls);
  if (few.length > 0) {
    const reasons = few.map(
      ({ track, calls }) => `${calls} calls of ${track}, fewer than ${bounds.minCalls}`,
    );
    return { stable, canary, verdict: 'cannot tell', reasons };
  }
  const reasons: string[] = [];
  const difference = canary.errorShare - stable.errorShare;
  if (difference > bounds.maxErrorDifference)
    reasons.push(
      `${percent(canary.errorShare)} of the canary’s calls fail, ${percent(stable.errorShare)} of stable’s`,
    );
  const ratio = ratioOf(canary.meanSeconds, stable.meanSeconds);
  if (ratio > bounds.maxLatencyRatio)
    reasons.push(`the canary’s calls take ${ratio.toFixed(2)} times as long`);
  return { stable, canary, verdict: reasons.length > 0 ? 'worse' : 'not worse', reasons };
}

/** A share formatted as a percentage. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}

function figuresOf(counts: readonly CallCount[], track: Track, meanSeconds: number | null): TrackFigures {
  const own = counts.filter((count) => count.track === track);
  const calls = sumOf(own, 'calls');
  const failed = sumOf(
    own.filter(({ code }) => code !== 'OK' && !REFUSALS.test(code)),
    'calls',
  );
  return { track, calls, failed, errorShare: calls === 0 ? 0 : failed / calls, meanSeconds };
}

/** The mean durations of both tracks over the methods that both have, so that a different mix of methods is not a difference. */
function meansOf(counts: readonly CallCount[]): Readonly<Record<Track, number | null>> {
  const sums = { stable: 0, canary: 0, weight: 0 };
  for (const method of new Set(counts.map((count) => count.method))) {
    const of = (track: Track) => counts.filter((count) => count.method === method && count.track === track);
    const [stable, canary] = [of('stable'), of('canary')];
    const [calls, weight] = [sumOf(stable, 'calls'), sumOf(canary, 'calls')];
    if (Math.min(calls, weight) < FEWEST_OF_METHOD) continue;
    sums.stable += (sumOf(stable, 'seconds') / calls) * weight;
    sums.canary += sumOf(canary, 'seconds');
    sums.weight += weight;
  }
  if (sums.weight === 0) return { stable: null, canary: null };
  return { stable: sums.stable / sums.weight, canary: sums.canary / sums.weight };
}

function sumOf(counts: readonly CallCount[], member: 'calls' | 'seconds'): number {
  return counts.reduce((total, count) => total + count[member], 0);
}

function ratioOf(canary: number | null, stable: number | null): number {
  return canary === null || stable === null || stable === 0 ? 1 : canary / stable;
}
