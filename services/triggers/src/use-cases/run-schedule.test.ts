import { ManualClock } from '@fairlead/service-kit/clock';
import { describe, expect, it } from 'vitest';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { FilterVerdict } from '../ports/filters.ts';
import type { RunResult } from '../ports/trigger-store.ts';
import { MADE_AT, trigger } from '../testing/triggers.ts';
import { runSchedule } from './run-schedule.ts';

const at = (seconds: number): Date => new Date(MADE_AT.getTime() + seconds * 1_000);

async function run(nowSeconds: number, verdict?: FilterVerdict): Promise<RunResult> {
  const results: RunResult[] = [];
  const scheduled = trigger({
    triggerTypeSlug: 'schedule',
    configuration: LazyJson.of({ everySeconds: 60 }),
    filter: verdict === undefined ? null : 'x',
  });
  const deps = {
    clock: new ManualClock(at(nowSeconds)),
    filters: { run: () => Promise.resolve(verdict ?? { kind: 'passed' as const }) },
    runs: {
      commit(_run: unknown, result: RunResult) {
        results.push(result);
        return Promise.resolve(true);
      },
    },
  };
  const claimed = { trigger: { ...scheduled, accountId: 'acc_1' }, poll: null, token: 't', since: at(60) };
  await runSchedule(deps, claimed, new AbortController().signal);
  const [result] = results;
  if (result === undefined) throw new Error('nothing was committed');
  return result;
}

describe('runSchedule', () => {
  it('fires for the time at which it is due, and is due again at the next', async () => {
    const { events, dueAt } = await run(61);
    expect(dueAt).toEqual(at(120));
    expect(events).toMatchObject([
      {
        accountId: 'acc_1',
        triggerId: 'trg_1',
        triggerType: 'schedule',
        destinationIds: ['dst_1'],
        occurredAt: at(60),
        firingKey: `tick:${at(60).toISOString()}`,
      },
    ]);
    const body: unknown = JSON.parse(Buffer.from(events[0]?.body ?? []).toString());
    expect(body).toMatchObject({ type: 'schedule', payload: { scheduledAt: at(60).toISOString() } });
  });

  it('after an outage fires once, for the latest time that was missed', async () => {
    const { events, dueAt, lastError } = await run(60 * 100 + 30);
    expect(events.map(({ occurredAt }) => occurredAt)).toEqual([at(6_000)]);
    expect(dueAt).toEqual(at(6_060));
    expect(lastError).toBeNull();
  });

  it('does not fire if its filter refuses it or fails, and goes on', async () => {
    expect(await run(61, { kind: 'refused' })).toEqual({ events: [], dueAt: at(120) });
    expect(await run(61, { kind: 'failed', message: 'Why.' })).toEqual({
      events: [],
      dueAt: at(120),
      lastError: 'Why.',
    });
  });
});
