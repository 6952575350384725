import { expect, test } from 'vitest';
import type { Task } from '../domain/task.ts';
import { createAssignedTasks } from './assigned-tasks.ts';

// The code under test reads no other members.
const task = { id: 'task', waiter: 'http://replica.test#1', accountId: 'acc_1' } as Task;

test('a task that was given is known once, to its token only', () => {
  const given = createAssignedTasks();
  given.add(task, 'token');
  expect(given.take('task', 'other')).toBeUndefined();
  expect(given.take('task', 'token')).toMatchObject({ waiter: task.waiter, accountId: 'acc_1' });
  expect(given.take('task', 'token')).toBeUndefined();
});

test('10 000 tasks are known; then the oldest is forgotten', () => {
  const given = createAssignedTasks();
  for (let at = 0; at <= 10_000; at += 1) given.add({ ...task, id: `${at}` }, 'token');
  expect([given.take('0', 'token'), given.take('1', 'token')?.waiter]).toEqual([undefined, task.waiter]);
});
