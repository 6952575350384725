import { expect, test } from 'vitest';
import { sessionClient } from '../testing/clients.ts';
import { declaresTasks, taskCapabilities, taskMode, TASKS_EXTENSION } from './task.ts';

const taking = { extensions: { [TASKS_EXTENSION]: {} } };

test('without a handshake the server decides, for clients that take tasks', () => {
  expect(taskMode(sessionClient({ isStateless: true, capabilities: taking }), undefined)).toEqual({
    waitMs: 10_000,
    ttlMs: undefined,
  });
  const others = [{}, { extensions: {} }, { extensions: { [TASKS_EXTENSION]: true } }, { extensions: [] }];
  for (const capabilities of others) {
    expect(declaresTasks({ capabilities })).toBe(false);
    expect(taskMode(sessionClient({ isStateless: true, capabilities }), { ttl: 1 })).toBeUndefined();
  }
});

test('with a handshake the client asks for a task', () => {
  const client = sessionClient({ capabilities: taking });
  expect(taskMode(client, undefined)).toBeUndefined();
  expect(taskMode(client, {})).toEqual({ waitMs: 0, ttlMs: undefined });
  expect(taskMode(client, { ttl: 60_000.5 })).toEqual({ waitMs: 0, ttlMs: 60_000 });
  for (const ttl of [-1, null, 'long']) expect(taskMode(client, { ttl })?.ttlMs).toBeUndefined();
});

test('each version has tasks among its capabilities in its own way; earlier ones have none', () => {
  expect(taskCapabilities('user', undefined)).toEqual(taking);
  expect(taskCapabilities('user', '2025-06-18')).toEqual({});
  expect(taskCapabilities('user', '2025-11-25')).toHaveProperty('tasks.list');
  expect(taskCapabilities('anonymousClient', '2025-11-25')).not.toHaveProperty('tasks.list');
});
