import { expect, test } from 'vitest';
import { randomBase62 } from '../ids.ts';
import { openTestNats } from '../testing/nats.ts';
import { openCanaryChanges, untilRead } from './changes.ts';

const CHANGE = { weight: 10, isAborted: false, by: 'operator', of: '0123456789abcdef' } as const;

test('a change is known to every process; each is later than the one before', async () => {
  const service = `test-${randomBase62(8)}`;
  const [writer, reader] = [openCanaryChanges(await openTestNats()), openCanaryChanges(await openTestNats())];
  await expect.poll(() => reader.isRead()).toBe(true);
  let notified = 0;
  reader.subscribe(() => (notified += 1));
  const first = await writer.write(service, () => CHANGE);
  expect(first).toMatchObject(CHANGE);
  await expect.poll(() => reader.of(service)).toEqual(first);
  expect(notified).toBeGreaterThan(0);
  const second = await writer.write(service, (newest) => ({ ...CHANGE, ...newest, weight: 25 }));
  const third = await reader.write(service, () => ({ ...CHANGE, isAborted: true }));
  const times = [first, second, third].map((change) => Date.parse(change?.at ?? ''));
  expect(times).toEqual([...new Set(times)].toSorted((one, other) => one - other));
  await expect.poll(() => writer.of(service)).toEqual(third);
  expect(await writer.write(service, () => undefined)).toEqual(third);
});

test('a start waits for the first read, and not for long', async () => {
  let [isRead, onChange] = [false, (): void => undefined];
  const changes = {
    isRead: () => isRead,
    subscribe(listener: () => void) {
      onChange = listener;
      return () => (onChange = () => undefined);
    },
  };
  await expect(untilRead(changes, 1)).resolves.toBeUndefined();
  const waiting = untilRead(changes, 600_000);
  isRead = true;
  onChange();
  await expect(waiting).resolves.toBeUndefined();
  await expect(untilRead(changes, 600_000)).resolves.toBeUndefined();
});
