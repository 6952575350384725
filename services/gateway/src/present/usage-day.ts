import { z } from 'zod';
import type { UsageDay } from '../usage/usage-reports.ts';

/** What an account did on one day. */
export const usageDayRecord = z
  .strictObject({
    date: z.iso.date().describe('The day, in UTC.'),
    calls: z.int().min(0).describe('Calls of the API that were let in, those that need no budget too.'),
    executions: z.int().min(0).describe('Tool executions, as many as the history has.'),
    events: z.int().min(0).describe('Trigger events. Always 0: there are no triggers yet.'),
  })
  .meta({ id: 'UsageDay' });

/** A day of usage. */
export function presentUsageDay(usage: UsageDay): z.output<typeof usageDayRecord> {
  const { day, callCount, executionCount, eventCount } = usage;
  return { date: day, calls: callCount, executions: executionCount, events: eventCount };
}
