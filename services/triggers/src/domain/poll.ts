import type { JsonObject } from '@fairlead/connector-model/model';
import { isJsonObject } from '@fairlead/connector-model/json';
import { canonicalJson } from '@fairlead/service-kit/json/canonical-json';
import type { Trigger, TriggerType } from './trigger.ts';

/** Where a poll goes on; what its members mean is the tools service's to know. */
export interface PollCursor {
  readonly since: string | null;
  readonly known: readonly string[];
}

/** The progress of a poll. */
export interface PollState {
  readonly cursor: PollCursor;
  /** Runs that failed in a row. */
  readonly failures: number;
  /** Keys of items after the cursor that the filter has decided on, because a run had no time for all; absent: none. */
  readonly filtered?: readonly string[];
}

const SECOND_MS = 1_000;
const LONGEST_PAUSE_MS = 15 * 60 * SECOND_MS;
const MAX_DOUBLINGS = 10;

/** The time between two runs of a poll, as configured or by default. */
export function pollPeriodMs(
  { configSchema }: Pick<TriggerType, 'configSchema'>,
  { everySeconds }: JsonObject,
): number {
  if (typeof everySeconds === 'number') return everySeconds * SECOND_MS;
  const properties = configSchema['properties'];
  const declared = isJsonObject(properties) ? properties['everySeconds'] : undefined;
  // The catalogue has no poll without this default.
  return Number(isJsonObject(declared) ? declared['default'] : undefined) * SECOND_MS;
}

/** When a poll runs next. After failures in a row it waits longer, up to 15 minutes unless its period is longer. */
export function nextPollAt(now: Date, periodMs: number, failures: number): Date {
  const pauseMs = periodMs * 2 ** Math.min(Math.max(0, failures - 1), MAX_DOUBLINGS);
  return new Date(now.getTime() + Math.min(pauseMs, Math.max(periodMs, LONGEST_PAUSE_MS)));
}

/** Whether two triggers ask the same, however often: then the one goes on where the other was. */
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
