import type { JsonObject } from '@fairlead/connector-model/json';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { describe, expect, it } from 'vitest';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { Trigger, TriggerType } from '../domain/trigger.ts';
import {
  HOOK_TYPE,
  MADE_AT,
  memoryTriggers,
  neighbours,
  POLL_TYPE,
  SCHEDULE_TYPE,
  SEEDED,
  trigger,
  triggerType,
  VENDOR_TYPE,
} from '../testing/triggers.ts';
import { updateTrigger } from './update-trigger.ts';
import type { RequestedChange } from './update-trigger.ts';

const NOW = new Date(MADE_AT.getTime() + 100_000);
const scheduled = trigger({
  triggerTypeSlug: 'schedule',
  applicationSlug: 'schedule',
  configuration: LazyJson.of({ everySeconds: 60 }),
});

function setUp(stored: Trigger, type: TriggerType, connections?: Parameters<typeof neighbours>[1]) {
  const triggers = memoryTriggers(stored);
  const deps = { ...neighbours(type, connections), triggers, clock: new ManualClock(NOW) };
  return {
    changes: triggers.changes,
    created: deps.created,
    registrations: deps.webhooks.steps,
    update: (change: RequestedChange) => updateTrigger(deps, testContext(), stored.id, change),
  };
}

describe('updateTrigger', () => {
  it('keeps what is left out, and when it runs, and raises the generation', async () => {
    const { update, changes } = setUp(scheduled, SCHEDULE_TYPE);
    expect(await update({ name: 'New' })).toMatchObject({ name: 'New', generation: 2, enabledAt: MADE_AT });
    expect(changes).toEqual([{ name: 'New', connectionId: 7 }]);
  });

  it('whose destination is deleted, and its connection with which it is enabled, while it is written has neither', async () => {
    const triggers = memoryTriggers(trigger({ isEnabled: false, destinationIds: [] }));
    const steps: unknown[] = [];
    const record = (_ctx: unknown, ...of: unknown[]) => Promise.resolve(void steps.push(of[1]));
    const isWritten = (): boolean => triggers.changes.length > 0;
    const deps = {
      ...neighbours(POLL_TYPE),
      triggers: { ...triggers, removeDestinations: record, disableUses: record },
      destinations: {
        findExisting: (_ctx: unknown, ids: readonly string[]) => Promise.resolve(isWritten() ? [] : ids),
      },
      clock: new ManualClock(NOW),
    };
    const { find } = deps.connections;
    deps.connections.find = (...of) => (isWritten() ? Promise.resolve(undefined) : find(...of));
    await updateTrigger(deps, testContext(), 'trg_1', { isEnabled: true, destinationIds: ['dst_1'] });
    expect(new Set(steps)).toEqual(new Set([[7], ['dst_1']]));
  });

  it('starts anew with another configuration, from now', async () => {
    const { update, changes } = setUp(scheduled, SCHEDULE_TYPE);
    await update({ configuration: LazyJson.of({ everySeconds: 10 }) });
    expect(changes).toMatchObject([
      { enabledAt: NOW, dueAt: new Date(NOW.getTime() + 10_000), lastError: null },
    ]);
  });

  it('runs no more once it is disabled, and anew once it is enabled', async () => {
    const { update, changes } = setUp(scheduled, SCHEDULE_TYPE, [{ id: 7, applicationSlug: 'schedule' }]);
    await update({ isEnabled: false });
    await update({ configuration: LazyJson.of({ everySeconds: 20 }) });
    await update({ isEnabled: true });
    expect(changes).toMatchObject([
      { isEnabled: false, enabledAt: null, dueAt: null },
      { enabledAt: null, dueAt: null },
      { enabledAt: NOW, dueAt: new Date(NOW.getTime() + 20_000) },
    ]);
  });

  it('a poll goes on where it was when only its pace changes, and is seeded anew by any other change', async () => {
    const polled = trigger({ configuration: LazyJson.of({ everySeconds: 60, colour: 'red' }) });
    const { update, changes } = setUp(polled, POLL_TYPE);
    await update({ name: 'New' });
    await update({ configuration: LazyJson.of({ colour: 'red', everySeconds: 10 }) });
    await update({ configuration: LazyJson.of({ colour: 'blue', everySeconds: 10 }) });
    const next = new Date(NOW.getTime() + 10_000);
    expect(changes.map(({ poll, dueBy, dueAt }) => [poll, dueBy, dueAt])).toEqual([
      [undefined, undefined, undefined],
      [undefined, next, undefined],
      [{ cursor: SEEDED, failures: 0 }, undefined, next],
    ]);
  });

  it.each<[string, TriggerType, JsonObject, JsonObject]>([
    ['an interval', SCHEDULE_TYPE, { everySeconds: 60 }, { everySeconds: 60 }],
    ['a cron schedule', SCHEDULE_TYPE, { cron: '0 9 * * *' }, { timezone: 'UTC', cron: '0 9 * * *' }],
    ['a poll', POLL_TYPE, { colour: 'red', everySeconds: 60 }, { everySeconds: 60, colour: 'red' }],
    ['an inbound address', HOOK_TYPE, {}, {}],
    ['a registration at its vendor', VENDOR_TYPE, { of: { a: 1, b: 2 } }, { of: { b: 2, a: 1 } }],
    ['changes of connections', triggerType(), { colour: 'red' }, { colour: 'red' }],
  ])('%s goes on as it was if the same is sent again', async (_what, type, before, after) => {
    const [configuration, again] = [LazyJson.of(before), LazyJson.of(after)];
    const stored = trigger({ configuration, webhookId: type.webhook && 'whk_1', lastError: 'Away.' });
    const { applicationSlug } = type;
    const connections = [7, 8].map((id) => ({ id, applicationSlug }));
    const { update, changes, registrations } = setUp(stored, type, connections);
    await update({ configuration: again, connection: { id: 7 }, isEnabled: true });
    expect(changes).toEqual([{ configuration: again, connectionId: 7, isEnabled: true }]);
    expect(registrations).toEqual([]);
    await update({ connection: { id: 8 } });
    expect(changes.at(-1)).toMatchObject({ connectionId: 8, enabledAt: NOW, lastError: null });
  });

  it('a disabled poll knows nothing, so that what comes meanwhile does not fire', async () => {
    const { update, changes } = setUp(trigger(), POLL_TYPE);
    await update({ isEnabled: false });
    await update({ isEnabled: true });
    expect(changes).toMatchObject([{ poll: null, dueAt: null }, { poll: { cursor: SEEDED } }]);
  });

  it('may change the connection within the application only', async () => {
    const { update } = setUp(trigger(), triggerType(), [
      { id: 7, applicationSlug: 'sandbox-crm' },
      { id: 8, applicationSlug: 'sandbox-crm' },
      { id: 9, applicationSlug: 'postgresql' },
    ]);
    expect(await update({ connection: { id: 8 } })).toMatchObject({ connectionId: 8, enabledAt: NOW });
    await expect(update({ connection: { id: 9 } })).rejects.toMatchObject({ code: 'WRONG_APPLICATION' });
    await expect(update({ connection: { id: undefined } })).rejects.toMatchObject({ code: 'EMPTY_QUERY' });
  });

  it('may name the type, but not change it', async () => {
    const { update } = setUp(scheduled, SCHEDULE_TYPE);
    await update({ triggerTypeSlug: 'schedule' });
    await expect(update({ triggerTypeSlug: 'http_webhook' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'triggerTypeSlug' }],
    });
  });

  it('enabled again without its connection: NOT_FOUND, or the server supplies another one', async () => {
    const gone = setUp(trigger({ isEnabled: false }), triggerType(), []);
    await expect(gone.update({ isEnabled: true })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const supplied = setUp({ ...scheduled, isEnabled: false }, SCHEDULE_TYPE, []);
    expect(await supplied.update({ isEnabled: true })).toMatchObject({ connectionId: 99 });
    expect(supplied.created).toEqual(['schedule Schedule']);
  });

  it('is made again after a change that came first, and NOT_FOUND for a trigger that does not exist', async () => {
    const stored = trigger();
    const triggers = memoryTriggers(stored);
    let isFirst = true;
    const deps = {
      ...neighbours(triggerType()),
      clock: new ManualClock(NOW),
      triggers: {
        ...triggers,
        async update(...args: Parameters<typeof triggers.update>) {
          if (isFirst) await triggers.update(args[0], args[1], { generation: 1 }, { name: 'Other' });
          isFirst = false;
          return triggers.update(...args);
        },
      },
    };
    const change = { filter: 'true' };
    expect(await updateTrigger(deps, testContext(), stored.id, change)).toMatchObject({
      name: 'Other',
      filter: 'true',
    });
    const missing = updateTrigger(deps, testContext(), 'trg_9', change);
    await expect(missing).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
