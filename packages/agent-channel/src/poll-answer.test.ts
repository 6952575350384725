import { expect, test } from 'vitest';
import { readPollAnswer } from './poll-answer.ts';

const settings = { parallelTasks: 3, pullPeriodSeconds: 10, logLevel: 'Debug' };
const head = { id: 'a', remainingMs: 1_000, hasEffects: false };

test('a poll brings tasks, of which calls stay as they were sent, and unknown members and kinds do no harm', () => {
  const tasks = [
    { ...head, kind: 'call', release: '0.1.0', call: { '}"': [1] }, later: true },
    { ...head, kind: 'logs' },
    { ...head, kind: 'settings', settings },
    { ...head, kind: 'later', hasEffects: true },
  ];
  const answer = { settings: { ...settings, later: 1 }, tasks, cancelledTaskIds: ['b'], later: {} };
  const read = readPollAnswer(Buffer.from(JSON.stringify(answer, null, 1)));
  const [first] = read.tasks;
  expect(first?.kind === 'call' && JSON.parse(Buffer.from(first.call).toString())).toEqual({ '}"': [1] });
  const tasksWithoutCall = read.tasks.map((task) =>
    task.kind === 'call' ? { ...task, call: new Uint8Array() } : task,
  );
  expect({ ...read, tasks: tasksWithoutCall }).toEqual({
    settings,
    cancelledTaskIds: ['b'],
    tasks: [
      { ...head, kind: 'call', release: '0.1.0', call: new Uint8Array() },
      { ...head, kind: 'logs' },
      { ...head, kind: 'settings', settings },
      { ...head, kind: 'unknown', hasEffects: true },
    ],
  });
});

test('another body is no answer', () => {
  const answers = [{ tasks: [{}] }, { tasks: ['a'] }, { tasks: {} }, {}].map((tasks) =>
    JSON.stringify({ settings, cancelledTaskIds: [], ...tasks }),
  );
  for (const text of ['<html>', '{}', '[]', ...answers])
    expect(() => readPollAnswer(Buffer.from(text))).toThrow(/./);
});
