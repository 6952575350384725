import { describe, expect, it } from 'vitest';
import { latestTick, scheduleIssues, scheduleOf, tickAfter } from './schedule.ts';

const BERLIN = 'Europe/Berlin';
const enabledAt = new Date('2026-01-01T00:00:00.500Z');

/** The next ticks of a cron expression, as ISO texts without milliseconds. */
function ticks(cron: string, after: string, count: number, timezone = BERLIN): readonly string[] {
  const schedule = scheduleOf({ cron, timezone }, enabledAt);
  const found: string[] = [];
  let at: Date | undefined = new Date(after);
  for (let i = 0; i < count && at !== undefined; i += 1) {
    at = tickAfter(schedule, at);
    if (at !== undefined) found.push(at.toISOString().replace('.000Z', 'Z'));
  }
  return found;
}

describe('a schedule', () => {
  it('fires at local times, in winter and in summer', () => {
    expect(ticks('30 9 * * 1-5', '2026-01-02T09:00:00Z', 2)).toEqual([
      '2026-01-05T08:30:00Z',
      '2026-01-06T08:30:00Z',
    ]);
    expect(ticks('30 9 * * *', '2026-07-01T00:00:00Z', 1)).toEqual(['2026-07-01T07:30:00Z']);
    expect(ticks('*/20 * * * * *', '2026-07-01T00:00:01.250Z', 3, 'UTC')).toEqual([
      '2026-07-01T00:00:20Z',
      '2026-07-01T00:00:40Z',
      '2026-07-01T00:01:00Z',
    ]);
  });

  it('fires a local time that does not exist at the next that does, once', () => {
    // On 29 March 2026 the clock goes from 02:00 to 03:00.
    expect(ticks('30 2 * * *', '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:00:00Z',
      '2026-03-30T00:30:00Z',
    ]);
    expect(ticks('*/30 * * * *', '2026-03-29T00:00:00Z', 4)).toEqual([
      '2026-03-29T00:30:00Z',
      '2026-03-29T01:00:00Z',
      '2026-03-29T01:30:00Z',
      '2026-03-29T02:00:00Z',
    ]);
  });

  it('fires a local time that comes twice the first time only', () => {
    // On 25 October 2026 the clock goes from 03:00 back to 02:00.
    expect(ticks('30 2 * * *', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30:00Z',
      '2026-10-26T01:30:00Z',
    ]);
    expect(ticks('*/30 * * * *', '2026-10-25T00:00:00Z', 3)).toEqual([
      '2026-10-25T00:30:00Z',
      '2026-10-25T02:00:00Z',
      '2026-10-25T02:30:00Z',
    ]);
    // The start is within the repeated hour.
    expect(ticks('*/30 * * * *', '2026-10-25T01:10:00Z', 1)).toEqual(['2026-10-25T02:00:00Z']);
  });

  it('knows zones whose clocks move by half an hour, and at midnight', () => {
    expect(ticks('15 2 * * *', '2026-10-03T12:00:00Z', 1, 'Australia/Lord_Howe')).toEqual([
      '2026-10-03T15:30:00Z',
    ]);
    expect(ticks('0 0 * * *', '2026-04-23T23:00:00Z', 1, 'Africa/Cairo')).toEqual(['2026-04-24T21:00:00Z']);
  });

  it('with everySeconds fires whole periods after it was enabled', () => {
    const schedule = scheduleOf({ everySeconds: 10 }, enabledAt);
    expect(tickAfter(schedule, enabledAt)).toEqual(new Date('2026-01-01T00:00:10.500Z'));
    expect(tickAfter(schedule, new Date('2026-01-01T00:00:10.500Z'))).toEqual(
      new Date('2026-01-01T00:00:20.500Z'),
    );
    expect(tickAfter(schedule, new Date('2025-12-31T00:00:00Z'))).toEqual(
      new Date('2026-01-01T00:00:10.500Z'),
    );
  });

  it('that never fires again has no next time', () => {
    expect(tickAfter(scheduleOf({ cron: '0 0 30 2 *' }, enabledAt), enabledAt)).toBeUndefined();
  });
});

describe('after an outage', () => {
  it('the latest time that was missed is found, however long it took', () => {
    const from = new Date('2026-01-01T00:00:00Z');
    const now = new Date('2026-01-09T12:34:56.789Z');
    const latest = (configuration: Record<string, string | number>): string =>
      latestTick(scheduleOf(configuration, from), from, now).toISOString();
    expect(latest({ cron: '* * * * * *' })).toBe('2026-01-09T12:34:56.000Z');
    expect(latest({ cron: '0 * * * *' })).toBe('2026-01-09T12:00:00.000Z');
    expect(latest({ cron: '0 0 1 * *' })).toBe('2026-01-01T00:00:00.000Z');
    expect(latest({ everySeconds: 3_600 })).toBe('2026-01-09T12:00:00.000Z');
  });

  it('the time itself is the latest if nothing was missed', () => {
    const from = new Date('2026-01-01T00:00:00Z');
    const schedule = scheduleOf({ cron: '0 * * * *' }, from);
    expect(latestTick(schedule, from, from)).toEqual(from);
    expect(latestTick(schedule, from, new Date('2026-01-01T00:59:59Z'))).toEqual(from);
  });
});

describe('the configuration of a schedule', () => {
  it.each([
    [{ cron: '0 9 * * *' }, []],
    [{ cron: '0 0 9 * * *', timezone: BERLIN }, []],
    [{ everySeconds: 10 }, []],
    [{}, ['configuration.cron']],
    [{ cron: '0 9 * * *', everySeconds: 10 }, ['configuration.everySeconds']],
    [{ everySeconds: 10, timezone: 'UTC' }, ['configuration.timezone']],
    [{ cron: '0 9 * * *', timezone: 'Mars/Olympus' }, ['configuration.timezone']],
    [{ cron: '0 9 * * *', timezone: '+01:00' }, ['configuration.timezone']],
    [{ cron: 'daily' }, ['configuration.cron']],
    [{ cron: '@daily' }, ['configuration.cron']],
    [{ cron: '0 9 * *' }, ['configuration.cron']],
    [{ cron: '0 0 9 * * * 2027' }, ['configuration.cron']],
    [{ cron: '61 9 * * *' }, ['configuration.cron']],
    [{ cron: '0 0 30 2 *' }, ['configuration.cron']],
    [{ cron: '61 9 * * *', timezone: 'x' }, ['configuration.timezone', 'configuration.cron']],
  ])('%j has issues in %j', (configuration, fields) => {
    expect(scheduleIssues(configuration).map(({ field }) => field)).toEqual(fields);
  });
});
