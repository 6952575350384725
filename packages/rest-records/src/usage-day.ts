import { z } from 'zod';

/** An account's usage on one day. */
export const usageDayRecord = z
  .strictObject({
    date: z.iso.date().describe('The day, in UTC.'),
    calls: z.int().min(0).describe('Admitted API calls, including those that count against no budget.'),
    executions: z.int().min(0).describe('Tool executions in the history.'),
    events: z.int().min(0).describe('Trigger events that were captured.'),
  })
  .meta({ id: 'UsageDay' });

export function presentUsageDay({
  day,
  callCount,
  executionCount,
  eventCount,
}: {
  readonly day: string;
  readonly callCount: number;
  readonly executionCount: number;
  readonly eventCount: number;
}): z.output<typeof usageDayRecord> {
  return { date: day, calls: callCount, executions: executionCount, events: eventCount };
}
