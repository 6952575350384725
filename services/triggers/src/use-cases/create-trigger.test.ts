import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { describe, expect, it } from 'vitest';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { TRIGGER_LIMITS } from '../domain/trigger.ts';
import type { TriggerType } from '../domain/trigger.ts';
import {
  HOOK_TYPE,
  MADE_AT,
  memoryTriggers,
  neighbours,
  POLL_TYPE,
  SCHEDULE_TYPE,
  triggerType,
} from '../testing/triggers.ts';
import { createTrigger } from './create-trigger.ts';

const content = {
  name: 'Things',
  configuration: LazyJson.of({}),
  filter: null,
  destinationIds: ['dst_1'],
  isEnabled: true,
};

async function create(
  type: TriggerType,
  members: Partial<Parameters<typeof createTrigger>[2]> = {},
  count = 0,
) {
  const triggers = { ...memoryTriggers(), count: () => Promise.resolve(count) };
  const deps = { ...neighbours(type), triggers, clock: new ManualClock(MADE_AT) };
  const asked = { ...content, triggerTypeSlug: type.slug, connectionId: undefined, ...members };
  const outcome = await createTrigger(deps, testContext(), asked).catch((error: unknown) => error);
  return { outcome, inserted: triggers.inserted, created: deps.created };
}

describe('createTrigger', () => {
  it('one whose destination and connection are deleted while it is written has neither', async () => {
    const triggers = memoryTriggers();
    const steps: unknown[] = [];
    const record = (_ctx: unknown, ...of: unknown[]) => Promise.resolve(void steps.push(of[1]));
    const isWritten = (): boolean => triggers.inserted.length > 0;
    const deps = {
      ...neighbours(POLL_TYPE),
      triggers: { ...triggers, removeDestinations: record, disableUses: record },
      destinations: {
        findExisting: (_ctx: unknown, ids: readonly string[]) => Promise.resolve(isWritten() ? [] : ids),
      },
      clock: new ManualClock(MADE_AT),
    };
    const { find } = deps.connections;
    deps.connections.find = (...of) => (isWritten() ? Promise.resolve(undefined) : find(...of));
    await createTrigger(deps, testContext(), {
      ...content,
      triggerTypeSlug: POLL_TYPE.slug,
      connectionId: 7,
    });
    expect(new Set(steps)).toEqual(new Set([[7], ['dst_1']]));
  });

  it('stores it enabled, with its first run', async () => {
    const { inserted } = await create(SCHEDULE_TYPE, { configuration: LazyJson.of({ everySeconds: 10 }) });
    expect(inserted).toMatchObject([
      {
        id: expect.stringMatching(/^trg_[0-9A-Za-z]{22}$/) as string,
        applicationSlug: 'schedule',
        connectionId: 99,
        enabledAt: MADE_AT,
        dueAt: new Date(MADE_AT.getTime() + 10_000),
        hookToken: null,
        createdAt: MADE_AT,
      },
    ]);
  });

  it('a disabled one does not run', async () => {
    const members = { configuration: LazyJson.of({ everySeconds: 10 }), isEnabled: false };
    expect((await create(SCHEDULE_TYPE, members)).inserted).toMatchObject([{ enabledAt: null, dueAt: null }]);
  });

  it('one that anybody may call has a token of 190 bits of its own', async () => {
    const tokens = [await create(HOOK_TYPE), await create(HOOK_TYPE)].map(
      ({ inserted }) => inserted[0]?.hookToken?.reveal() ?? '',
    );
    for (const token of tokens) expect(token).toMatch(/^[0-9A-Za-z]{32}$/);
    expect(new Set(tokens).size).toBe(2);
  });

  it.each([
    [{ connectionId: undefined }, 'EMPTY_QUERY'],
    [{ connectionId: 9 }, 'NOT_FOUND'],
    [{ connectionId: 7, destinationIds: ['dst_9'] }, 'NOT_FOUND'],
    [{ connectionId: 7, filter: '((' }, 'VALIDATION_ERROR'],
    [{ connectionId: 7, name: ' ' }, 'VALIDATION_ERROR'],
  ])('with %j is %s, and nothing is stored', async (members, code) => {
    const { outcome, inserted } = await create(triggerType(), members);
    expect(outcome).toMatchObject({ code });
    expect(inserted).toEqual([]);
  });

  it('a poll that its application does not seed is refused, and nothing is stored', async () => {
    const { outcome, inserted } = await create(POLL_TYPE, {
      connectionId: 7,
      configuration: LazyJson.of({ colour: 'refused' }),
    });
    expect(outcome).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'connectionId' }] });
    expect(inserted).toEqual([]);
  });

  it('a refused one leaves no connection behind', async () => {
    const { outcome, created } = await create(SCHEDULE_TYPE, { configuration: LazyJson.of({}) });
    expect(outcome).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(created).toEqual([]);
  });

  it('an account with too many gets CONFLICT', async () => {
    const { outcome } = await create(HOOK_TYPE, {}, TRIGGER_LIMITS.perAccount);
    expect(outcome).toMatchObject({ code: 'CONFLICT' });
  });
});
