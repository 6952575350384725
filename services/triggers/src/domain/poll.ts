import { isJsonObject } from '@fairlead/connector-model/json';
import type { JsonObject } from '@fairlead/connector-model/json';
import { canonicalJson } from '@fairlead/service-kit/json/canonical-json';
import type { Trigger, TriggerType } from './trigger.ts';

/** The cursor of a poll; only the tools service interprets its members. */
export interface PollCursor {
  readonly since: string | null;
  readonly known: readonly string[];
}

/** Progress of a poll. */
export interface PollState {
  readonly cursor: PollCursor;
  /** Number of consecutive failed runs. */
  readonly failures: number;
  /** Keys of items after the cursor that were already filtered, because a run had no time for all; absent: none. */
  readonly filtered?: readonly string[];
}

const SECOND_MS = 1_000;
const LONGEST_PAUSE_MS = 15 * 60 * SECOND_MS;
const MAX_DOUBLINGS = 10;

/** Time between two runs of a poll, configured or by default. */
export function pollPeriodMs(
  { configSchema }: Pick<TriggerType, 'configSchema'>,
  { everySeconds }: JsonObject,
): number {
  if (typeof everySeconds === 'number') return everySeconds * SECOND_MS;
  const properties = configSchema['properties'];
  const declared = isJsonObject(properties) ? properties['everySeconds'] : undefined;
  // The catalogue requires a default period for every poll.
  return Number(isJsonObject(declared) ? declared['default'] : undefined) * SECOND_MS;
}

/** When a poll runs next. After consecutive failures it waits longer, up to 15 minutes or its period if that is longer. */
export function nextPollAt(now: Date, periodMs: number, failures: number): Date {
  const pauseMs = periodMs * 2 ** Math.min(Math.max(0, failures - 1), MAX_DOUBLINGS);
  return new Date(now.getTime() + Math.min(pauseMs, Math.max(periodMs, LONGEST_PAUSE_MS)));
}

/** Whether two polls request the same, except for the period; then the new one continues at the old one's cursor. */
export function asksTheSame(
  a: Pick<Trigger, 'connectionId' | 'configuration'>,
  b: Pick<Trigger, 'connectionId' | 'configuration'>,
): boolean {
  return (
    a.connectionId === b.connectionId &&
    question(a.configuration.parseObject()) === question(b.configuration.parseObject())
  );
}

function question({ everySeconds: _period, ...rest }: JsonObject): string {
  return canonicalJson(rest);
}
