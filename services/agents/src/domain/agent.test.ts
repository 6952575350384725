import { expect, test } from 'vitest';
import { statusOf } from './agent.ts';

const settings = { parallelTasks: 10, pullPeriodSeconds: 20, logLevel: 'Information' } as const;
const seenAt = new Date('2026-11-29T12:00:00.000Z');
const after = (seconds: number) => new Date(seenAt.getTime() + seconds * 1_000);

test('an agent is online until it has been silent for three poll periods, or has left', () => {
  const agent = { settings, lastSeenAt: seenAt, hasLeft: false };
  expect(statusOf({ ...agent, lastSeenAt: null }, after(0))).toBe('WaitingForConnection');
  expect(statusOf({ ...agent, lastSeenAt: null, hasLeft: true }, after(0))).toBe('WaitingForConnection');
  expect(statusOf(agent, after(60))).toBe('Online');
  expect(statusOf(agent, after(60.001))).toBe('Offline');
  expect(statusOf({ ...agent, hasLeft: true }, after(0))).toBe('Offline');
});
