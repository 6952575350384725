import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Task } from '../domain/task.ts';
import { createWaitingTasks } from './waiting-tasks.ts';

const MIB = 1024 * 1024;

function setUp(ended: readonly Task[] = []) {
  const waiting = createWaitingTasks({
    tasks: { findEnded: (ids) => Promise.resolve(ended.filter(({ id }) => ids.includes(id))) },
    log: createLogger({ service: 'test', level: 'silent' }),
  });
  onTestFinished(() => waiting.close());
  const wait = (id: string, bytes = 2, agentKey = 'agent') =>
    waiting.wait({ id, agentKey, accountId: 'acc_1', kind: 'call', hasEffects: false }, bytes);
  return { waiting, wait };
}

test('a replica waits for 200 tasks of an agent, and 64 MiB of inputs, and others have theirs', () => {
  const { wait } = setUp();
  const waits = Array.from({ length: 200 }, (_, at) => wait(`task ${at}`));
  expect(waits).not.toContain(undefined);
  expect(wait('more')).toBeUndefined();
  expect(wait('other', 2, 'other agent')).toBeDefined();
  waits[0]?.leave();
  waits[0]?.leave();
  expect(wait('one', 64 * MIB)).toBeUndefined();
  expect(wait('one')).toBeDefined();
  expect(wait('another')).toBeUndefined();
});

test('a task has the result that is passed on, or the end that another replica gave it', async () => {
  // The code under test reads no other members.
  const ended = { id: 'ended', end: 'replaced' } as Task;
  const { waiting, wait } = setUp([ended]);
  const [delivered, lost] = [wait('delivered'), wait('ended')];
  waiting.resolve('delivered', Buffer.from('{}'));
  expect(await delivered?.result).toEqual({ bytes: Buffer.from('{}') });
  await vi.waitFor(async () => expect(await lost?.result).toEqual({ ended }), 90_000);
  delivered?.leave();
  expect([waiting.find('delivered')?.id, waiting.find('ended')?.id]).toEqual([undefined, 'ended']);
});
