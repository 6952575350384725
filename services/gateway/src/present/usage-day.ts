import { z } from 'zod';
import type { UsageDay } from '../usage/usage-reports.ts';

/** An account's usage on one day. */
export const usageDayRecord = z
  .strictObject({
    date: z.iso.date().describe('The day, in UTC.'),
    calls: z.int().min(0).describe('Admitted API calls, including those that count against no budget.'),
    executions: z.int().min(0).describe('Tool executions in the history.'),
    events: z.int().min(0).describe('Trigger events. Always 0: there are no triggers yet.'),
  })
  .meta({ id: 'UsageDay' });

/** A day of usage. */
export function presentUsageDay(usage: UsageDay): z.output<typeof usageDayRecord> {
  const { day, callCount, executionCount, eventCount } = usage;
  return { date: day, calls: callCount, executions: executionCount, events: eventCount };
}
