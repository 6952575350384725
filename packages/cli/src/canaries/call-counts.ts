/** The tracks of a service. */
export const TRACKS = ['stable', 'canary'] as const;

export type Track = (typeof TRACKS)[number];

/** Calls of one method on one track. */
export interface CallCount {
  readonly method: string;
  readonly track: Track;
  /** `OK` or an error code. */
  readonly code: string;
  readonly calls: number;
  readonly seconds: number;
}

/** Calls by method, track and code. */
export type CallCounts = ReadonlyMap<string, CallCount>;

const SAMPLE = /^rpc_client_duration_seconds_(count|sum)\{([^}]*)\} (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** The calls to `service` that a metrics page in the Prometheus text format counts. */
export function callCountsOf(page: string, service: string): CallCounts {
  const counts = new Map<string, CallCount>();
  for (const line of page.split('\n')) {
    const [, kind, labels = '', value] = SAMPLE.exec(line) ?? [];
    if (kind === undefined) continue;
    const found = new Map([...labels.matchAll(LABEL)].map(([, name = '', text = '']) => [name, text]));
    const type = found.get('service') ?? '';
    const track = TRACKS.find((each) => each === found.get('track'));
    if (track === undefined || !type.startsWith(`fairlead.${service}.`)) continue;
    const [method, code] = [`${type}/${found.get('method') ?? ''}`, found.get('code') ?? ''];
    const key = `${method} ${track} ${code}`;
    const former = counts.get(key) ?? { method, track, code, calls: 0, seconds: 0 };
    counts.set(key, { ...former, [kind === 'count' ? 'calls' : 'seconds']: Number(value) });
  }
  return counts;
}

/**
 * The calls of one process during an interval, computed from its counts at the beginning and the end. Counts start from 0 after a restart.
 */
export function callsBetween(before: CallCounts, after: CallCounts): readonly CallCount[] {
  return [...after].map(([key, count]) => {
    const former = before.get(key);
    if (former === undefined || former.calls > count.calls) return count;
    return { ...count, calls: count.calls - former.calls, seconds: count.seconds - former.seconds };
  });
}
