import { overloaded } from '@fairlead/errors/api-error';
import { ManualClock } from '@fairlead/service-kit/clock';
import { expect, test } from 'vitest';
import type { Firing } from '../domain/event.ts';
import type { Trigger } from '../domain/trigger.ts';
import type { FilterVerdict } from '../ports/filters.ts';
import { connectionChange } from '../testing/changes.ts';
import { MADE_AT, trigger } from '../testing/triggers.ts';
import { fireChange } from './fire-change.ts';

function setUp(
  triggers: readonly Trigger[],
  verdict: () => Promise<FilterVerdict> = () => Promise.resolve({ kind: 'passed' }),
) {
  const captured: Firing[] = [];
  const noted: string[] = [];
  const clock = new ManualClock(MADE_AT);
  const deps = {
    clock,
    filters: { run: verdict },
    capture: {
      captureFirings(firings: readonly Firing[]) {
        captured.push(...firings);
        return Promise.resolve(firings.map(() => ({ id: 'te_1', isNew: true })));
      },
    },
    firings: {
      findOfType: (accountId: string, type: string, after: string | null, limit: number) =>
        Promise.resolve(
          type === 'connection_deleted'
            ? triggers
                .filter(({ id }) => after === null || id > after)
                .slice(0, limit)
                .map((each) => ({ ...each, accountId }))
            : [],
        ),
      noteFired(fired: readonly { readonly id: string }[]) {
        noted.push(...fired.map(({ id }) => `fired ${id}`));
        return Promise.resolve();
      },
      noteError({ id }: { readonly id: string }, message: string) {
        noted.push(`${id}: ${message}`);
        return Promise.resolve();
      },
    },
  };
  const fire = (change = connectionChange(), after: string | null = null) =>
    fireChange(deps, change, after, new AbortController().signal);
  return { fire, captured, noted, clock };
}

test('triggers of the type that were enabled when it happened fire, with one key for the change', async () => {
  const { fire, captured, noted } = setUp([
    trigger({ id: 'trg_1', triggerTypeSlug: 'connection_deleted' }),
    trigger({ id: 'trg_2', enabledAt: new Date(MADE_AT.getTime() + 5_000) }),
  ]);
  const change = connectionChange({ endUserId: 'customer-1', reason: 'It was revoked.' });
  expect(await fire(change)).toEqual({ kind: 'done' });
  expect(captured).toMatchObject([
    {
      accountId: 'acc_1',
      triggerId: 'trg_1',
      triggerType: 'connection_deleted',
      destinationIds: ['dst_1'],
      occurredAt: change.occurredAt,
      firingKey: 'change:chg_1',
    },
  ]);
  expect(JSON.parse(String(captured[0]?.payload))).toEqual({
    connectionId: 7,
    applicationSlug: 'sandbox-crm',
    endUserId: 'customer-1',
    reason: 'It was revoked.',
  });
  expect(noted).toEqual(['fired trg_1']);
  expect(await fire(connectionChange({ triggerTypeSlug: 'connection_created' }))).toEqual({ kind: 'done' });
  expect(captured).toHaveLength(1);
});

test('a filter decides; one that fails is noted, one that cannot be run now is tried again', async () => {
  const filtered = [trigger({ filter: 'x' })];
  const refused = setUp(filtered, () => Promise.resolve({ kind: 'refused' }));
  expect(await refused.fire()).toEqual({ kind: 'done' });
  expect([refused.captured, refused.noted]).toEqual([[], []]);
  const failed = setUp(filtered, () => Promise.resolve({ kind: 'failed', message: 'No.' }));
  expect(await failed.fire()).toEqual({ kind: 'done' });
  expect([failed.captured, failed.noted]).toEqual([[], ['trg_1: No.']]);
  const busy = setUp(filtered, () => Promise.reject(overloaded('busy')));
  expect(await busy.fire()).toEqual({ kind: 'later' });
  expect(busy.captured).toEqual([]);
  const broken = setUp(filtered, () => Promise.reject(new Error('broken')));
  await expect(broken.fire()).rejects.toThrow('broken');
});

test('triggers whose filters are slow fire a few at a time, and it says after which one to go on', async () => {
  const ids = ['trg_1', 'trg_2', 'trg_3', 'trg_4', 'trg_5'];
  let isBusy = false;
  const { fire, captured, clock } = setUp(
    ids.map((id) => trigger({ id, filter: 'x' })),
    () => {
      clock.advance(4_000);
      return isBusy ? Promise.reject(overloaded('busy')) : Promise.resolve({ kind: 'passed' });
    },
  );
  expect(await fire()).toEqual({ kind: 'more', firedUntil: 'trg_3' });
  expect(captured.map(({ triggerId }) => triggerId)).toEqual(ids.slice(0, 3));
  isBusy = true;
  expect(await fire(connectionChange(), 'trg_3')).toEqual({ kind: 'later' });
  isBusy = false;
  expect(await fire(connectionChange(), 'trg_3')).toEqual({ kind: 'done' });
  expect(captured.map(({ triggerId }) => triggerId)).toEqual(ids);
});

test('many triggers fire by pages, and it says after which one to go on', async () => {
  const ids = Array.from({ length: 25 }, (_, at) => `trg_${String(at).padStart(2, '0')}`);
  const { fire, captured } = setUp(ids.map((id) => trigger({ id })));
  const first = await fire();
  expect(first).toEqual({ kind: 'more', firedUntil: 'trg_19' });
  expect(await fire(connectionChange(), 'trg_19')).toEqual({ kind: 'done' });
  expect(captured.map(({ triggerId }) => triggerId)).toEqual(ids);
});
