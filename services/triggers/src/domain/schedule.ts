import type { JsonObject } from '@fairlead/connector-model/json';
import type { FieldIssue } from '@fairlead/errors/api-error';
import { Cron } from 'croner';
import { instantOf, isTimezone, wallTimeOf } from './wall-time.ts';

/** The schedule of a trigger of type `schedule`. */
export type Schedule =
  | { readonly kind: 'cron'; readonly cron: string; readonly timezone: string }
  | { readonly kind: 'interval'; readonly seconds: number; readonly from: Date };

const SECOND_MS = 1_000;

/** The issues of a schedule's configuration that its schema cannot express; empty: it is valid. */
export function scheduleIssues(configuration: JsonObject): readonly FieldIssue[] {
  const { cron, timezone, everySeconds } = configuration;
  const field = (name: string): string => `configuration.${name}`;
  if (cron !== undefined && everySeconds !== undefined)
    return [{ field: field('everySeconds'), issue: 'must not be given beside cron' }];
  if (cron === undefined && everySeconds === undefined)
    return [{ field: field('cron'), issue: 'is required, or everySeconds instead' }];
  const issues: FieldIssue[] = [];
  if (timezone !== undefined && cron === undefined)
    issues.push({ field: field('timezone'), issue: 'is allowed with cron only' });
  else if (typeof timezone === 'string' && !isTimezone(timezone))
    issues.push({ field: field('timezone'), issue: 'must be an IANA time zone, such as Europe/Berlin' });
  const problem = typeof cron === 'string' ? cronProblem(cron) : undefined;
  if (problem !== undefined) issues.push({ field: field('cron'), issue: problem });
  return issues;
}

/** The schedule in a valid configuration; intervals count from `enabledAt`. */
export function scheduleOf({ cron, timezone, everySeconds }: JsonObject, enabledAt: Date): Schedule {
  if (typeof cron === 'string')
    return { kind: 'cron', cron, timezone: typeof timezone === 'string' ? timezone : 'UTC' };
  return { kind: 'interval', seconds: Number(everySeconds), from: enabledAt };
}

/**
 * The next firing time after `after`; undefined: never again. A local time that does not exist is replaced by the next one that does; one
 * that occurs twice counts the first time. Source: row completion.triggers.80.
 */
export function tickAfter(schedule: Schedule, after: Date): Date | undefined {
  if (schedule.kind === 'interval') {
    const { from, seconds } = schedule;
    const periodMs = seconds * SECOND_MS;
    const passed = Math.max(0, Math.floor((after.getTime() - from.getTime()) / periodMs));
    return new Date(from.getTime() + (passed + 1) * periodMs);
  }
  const { cron, timezone } = schedule;
  // Computed with local times as if they were UTC, because those have no gaps and repetitions.
  const pattern = new Cron(cron, { timezone: 'UTC', paused: true });
  let wall = wallTimeOf(after, timezone);
  for (;;) {
    const next = pattern.nextRun(wall);
    if (next === null) return undefined;
    const instant = instantOf(next, timezone);
    if (instant > after) return instant;
    wall = next;
  }
}

/** The latest firing time up to `now`, starting at the firing time `from`; used after an outage. */
export function latestTick(schedule: Schedule, from: Date, now: Date): Date {
  let latest = from;
  // Searches backwards with doubling steps, so that an outage of days costs as little as one of seconds.
  for (let backMs = SECOND_MS; now.getTime() - backMs > from.getTime(); backMs *= 2) {
    const tick = tickAfter(schedule, new Date(now.getTime() - backMs));
    if (tick === undefined || tick > now) continue;
    latest = tick;
    break;
  }
  for (;;) {
    const tick = tickAfter(schedule, latest);
    if (tick === undefined || tick > now) return latest;
    latest = tick;
  }
}

/** Why the text is not a cron expression with five or six fields that ever fires; undefined: it is one. */
function cronProblem(cron: string): string | undefined {
  const fields = cron.trim().split(/\s+/).length;
  if (fields < 5 || fields > 6) return 'must have 5 fields, or 6 with seconds first';
  try {
    const first = new Cron(cron.trim(), { timezone: 'UTC', paused: true }).nextRun(new Date(0));
    return first === null ? 'never fires' : undefined;
  } catch {
    return 'is not a cron expression';
  }
}
