import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { expect, test } from 'vitest';
import { createCheckpointExtension } from './checkpoint-extension.ts';

/** Extends each account in as many turns as it is said to need; `done` lists the turns in order. */
function extending(turns: Readonly<Record<string, number>>, onTurn: (accountId: string) => void = () => {}) {
  const left = new Map(Object.entries(turns));
  const done: string[] = [];
  const extension = createCheckpointExtension<object>({
    countedAs: () => '',
    log: createLogger({ service: 'test', level: 'silent' }),
    counts: {
      extend(accountId) {
        done.push(accountId);
        onTurn(accountId);
        const more = (left.get(accountId) ?? 0) - 1;
        left.set(accountId, more);
        return more < 0 ? Promise.reject(new Error('away')) : Promise.resolve(more > 0);
      },
    },
  });
  return { extension, done };
}

test('those that need many turns take them in turn with the others', async () => {
  const { extension, done } = extending({ many: 3, few: 1 });
  for (const accountId of ['many', 'few', 'many']) extension.request(accountId, {});
  await expect.poll(() => done).toEqual(['many', 'few', 'many', 'many']);
  await extension.close();
});

test('what fails is left until it is requested again, and keeps no other from its turn', async () => {
  const { extension, done } = extending({ away: 0, there: 1 });
  for (const accountId of ['away', 'there']) extension.request(accountId, {});
  await expect.poll(() => done).toEqual(['away', 'there']);
  extension.request('away', {});
  await expect.poll(() => done).toHaveLength(3);
  await extension.close();
});

test('closing waits for the turn in progress and begins no other', async () => {
  const closings: Promise<void>[] = [];
  const { extension, done } = extending({ a: 5, b: 5 }, () => void closings.push(extension.close()));
  extension.request('a', {});
  extension.request('b', {});
  await expect.poll(() => closings).toHaveLength(1);
  await Promise.all(closings);
  extension.request('b', {});
  expect(done).toEqual(['a']);
});
