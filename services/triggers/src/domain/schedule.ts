import type { JsonObject } from '@fairlead/connector-model/model';
import type { FieldIssue } from '@fairlead/errors/api-error';
import { Cron } from 'croner';
import { instantOf, isTimezone, wallTimeOf } from './wall-time.ts';

/** When a trigger of the type `schedule` fires. */
export type Schedule =
  | { readonly kind: 'cron'; readonly cron: string; readonly timezone: string }
  | { readonly kind: 'interval'; readonly seconds: number; readonly from: Date };

const SECOND_MS = 1_000;

/** The issues of the configuration of a schedule beyond its schema; empty: it is valid. */
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

/** The schedule of a configuration without issues; intervals count from `enabledAt`. */
export function scheduleOf({ cron, timezone, everySeconds }: JsonObject, enabledAt: Date): Schedule {
  if (typeof cron === 'string')
    return { kind: 'cron', cron, timezone: typeof timezone === 'string' ? timezone : 'UTC' };
  return { kind: 'interval', seconds: Number(everySeconds), from: enabledAt };
}

/**
 * The first time after `after` at which a schedule fires; undefined: it never does again. A local time that does not exist
 * fires at the next that does; one that comes twice fires the first time. Source: row completion.triggers.80.
 */
export function tickAfter(schedule: Schedule, after: Date): Date | undefined {
  if (schedule.kind === 'interval') {
    const { from, seconds } = schedule;
    const periodMs = seconds * SECOND_MS;
    const passed = Math.max(0, Math.floor((after.getTime() - from.getTime()) / periodMs));
    return new Date(from.getTime() + (passed + 1) * periodMs);
  }
  const { cron, timezone } = schedule;
  // Counted in local times, as if they were UTC: those have no gaps and no repetitions.
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

/** The last time at which a schedule fires from `from`, which is such a time, to `now`: what an outage has not yet fired. */
export function latestTick(schedule: Schedule, from: Date, now: Date): Date {
  let latest = from;
  // Backwards by steps that double, so that an outage of days costs as little as one of seconds.
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

/** Why a text is no cron expression of five or six fields; undefined: it is one, and fires at some time. */
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
