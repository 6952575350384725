import { canaryState } from './track.ts';
import type { CanaryChange } from './change.ts';
import type { StoredChange } from './changes.ts';
import type { CanaryReport } from './reports.ts';
import { parseCanaryRules } from './rules.ts';
import { NatsUnavailableError } from '../nats/unavailable.ts';
import { expect, test } from 'vitest';
import { createCanaryOperations } from './canary-operations.ts';

const AT = '2026-11-29T12:00:00.000Z';

/** An installation whose processes obey a change once they were asked `lag` times after it. */
function installation(
  o: { lag?: Readonly<Record<string, number>>; silent?: boolean; limitMs?: number } = {},
) {
  const [rule] = parseCanaryRules(
    '{"services":{"tools":{"mode":"gateway","weight":10,"salt":"s","image":"v2"}}}',
  ).values();
  if (rule === undefined) throw new Error('There is no rule.');
  let stored: StoredChange | undefined;
  let asked = 0;
  const report = (instance: string, change: StoredChange | undefined): CanaryReport => {
    const { weight, isOpen, digest } = canaryState(rule, change);
    const at = change?.at ?? null;
    const tools = { weight, isAborted: false, isOpen, revision: 1, at, of: digest, canaryAddresses: 1 };
    return { service: 'mcp', instance, track: 'stable', services: { tools } };
  };
  const operations = createCanaryOperations({
    canaries: { current: () => new Map([['tools', canaryState(rule, stored)]]) },
    changes: {
      write(_service, next) {
        const made = next(stored);
        if (made !== undefined) stored = { ...made, at: AT, revision: 1 };
        asked = 0;
        return Promise.resolve(stored);
      },
    },
    collect() {
      asked += 1;
      if (o.silent === true) return Promise.reject(new NatsUnavailableError('NATS is unreachable.'));
      return Promise.resolve(
        Object.entries(o.lag ?? { quick: 0 }).map(([instance, lag]) =>
          report(instance, asked > lag ? stored : undefined),
        ),
      );
    },
    ...(o.limitMs !== undefined && { limitMs: o.limitMs }),
  });
  return { operations, written: (): CanaryChange | undefined => stored };
}

test('a weight is answered once every process obeys it', async () => {
  const { operations, written } = installation({ lag: { quick: 0, slow: 4 } });
  const { state, lagging, reports } = await operations.setWeight('tools', 25);
  expect(written()).toMatchObject({ weight: 25, isAborted: false, by: 'operator', of: state.digest });
  expect([state.weight, lagging, reports.map(({ instance }) => instance)]).toEqual([
    25,
    [],
    ['quick', 'slow'],
  ]);
});

test('processes that do not obey in time are named', async () => {
  const { operations } = installation({ lag: { quick: 0, stuck: Infinity }, limitMs: 0 });
  const { lagging } = await operations.abort('tools', 'analysis');
  expect(lagging.map(({ instance }) => instance)).toEqual(['stuck']);
});

test('an abort keeps the weight for the record, and a weight ends the abort', async () => {
  const { operations, written } = installation();
  expect((await operations.abort('tools', 'analysis')).state.weight).toBe(0);
  expect(written()).toMatchObject({ weight: 10, isAborted: true, by: 'analysis' });
  await operations.setWeight('tools', 5);
  expect(written()).toMatchObject({ weight: 5, isAborted: false, by: 'operator' });
});

test('a service without a canary is NOT_FOUND; without rules at all it is CONFLICT, and the list is empty', async () => {
  await expect(installation().operations.abort('catalog', 'operator')).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  const none = createCanaryOperations(undefined);
  await expect(none.setWeight('tools', 5)).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await none.list()).toEqual([]);
});

test('without NATS, the list and a change that nobody confirms are UNAVAILABLE', async () => {
  const { operations, written } = installation({ silent: true, limitMs: 0 });
  await expect(operations.list()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await expect(operations.abort('tools', 'operator')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(written()).toMatchObject({ isAborted: true });
});
