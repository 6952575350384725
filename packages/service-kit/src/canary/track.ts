import { hash } from 'node:crypto';
import type { Track } from '@fairlead/connect-fast/endpoint';
import type { StoredChange } from './changes.ts';
import { digestOfRule } from './rules.ts';
import type { CanaryRule } from './rules.ts';

/** The canary of one service, as a process applies it. */
export interface CanaryState {
  readonly rule: CanaryRule;
  /** Digest of the rule to which changes apply. */
  readonly digest: string;
  /** Percentage of accounts, 0 to 100. */
  readonly weight: number;
  /** Whether pinned accounts and headers count. */
  readonly isOpen: boolean;
  /** The applied change. */
  readonly change: StoredChange | undefined;
}

/** The properties of a caller that determine its track. */
export interface TrackSubject {
  /** The account; undefined: not signed in. */
  readonly accountId: string | undefined;
  /** The request, if there is one, with header names in lower case. */
  readonly headers?: Readonly<Record<string, unknown>>;
  /** Whether the request carries a credential: the API key with this id, or the key of the `operator`. */
  readonly holds?: (credential: string) => boolean;
}

/**
 * The state of a canary: its rule's weight, or the weight of a change that was made to this very rule. A canary that
 * was aborted or changed to 0 has no pinned accounts and headers either. `change` is `unread` before the changes were
 * read; until then, everything goes to stable.
 */
export function canaryState(rule: CanaryRule, change: StoredChange | 'unread' | undefined): CanaryState {
  const digest = digestOfRule(rule);
  const base = { rule, digest };
  if (change === 'unread') return { ...base, weight: 0, isOpen: false, change: undefined };
  if (change?.of === digest) {
    const weight = change.isAborted ? 0 : change.weight;
    return { ...base, weight, isOpen: weight > 0, change };
  }
  // The weight is 0 until the route states one.
  if (rule.mode === 'route') return { ...base, weight: 0, isOpen: false, change: undefined };
  return { ...base, weight: rule.weight, isOpen: true, change: undefined };
}

/**
 * The track of a caller's requests to `service`: by the header `x-canary-<service>` of a permitted credential, else
 * by pinned account, else by the account's share. A higher weight only adds accounts.
 */
export function trackOf(service: string, state: CanaryState, subject: TrackSubject): Track {
  if (!state.isOpen) return 'stable';
  const { rule } = state;
  return (
    trackOfHeader(service, rule, subject) ??
    (subject.accountId !== undefined &&
    (rule.accounts.includes(subject.accountId) ||
      bucketOf(service, rule.salt, subject.accountId) < state.weight * BUCKETS_PER_PERCENT)
      ? 'canary'
      : 'stable')
  );
}

const BUCKETS_PER_PERCENT = 100;
const BUCKETS = 100 * BUCKETS_PER_PERCENT;
const HASH_DIGITS = 12;

/** A number from 0 to 9 999, evenly distributed over accounts. */
function bucketOf(service: string, salt: string, accountId: string): number {
  const digits = hash('sha256', `${service}\n${salt}\n${accountId}`).slice(0, HASH_DIGITS);
  return Number.parseInt(digits, 16) % BUCKETS;
}

const TRACK_BY_VALUE: ReadonlyMap<unknown, Track> = new Map([
  ['true', 'canary'],
  ['canary', 'canary'],
  ['false', 'stable'],
  ['stable', 'stable'],
]);

function trackOfHeader(
  service: string,
  rule: CanaryRule,
  { headers, holds }: TrackSubject,
): Track | undefined {
  const track = TRACK_BY_VALUE.get(headers?.[`x-canary-${service}`]);
  if (track === undefined || holds === undefined) return undefined;
  return rule.headers.some((credential) => holds(credential)) ? track : undefined;
}
