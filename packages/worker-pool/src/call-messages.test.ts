import { expect, it } from 'vitest';
import {
  CallMessages,
  MAX_OPEN_QUESTIONS,
  MAX_QUESTION_BYTES,
  MAX_TOLD_BYTES,
  MAX_UNTOLD,
} from './call-messages.ts';
import type { JobListener } from './call-messages.ts';
import { startTestPool } from './testing/test-pool.ts';

const LONG_MS = 60_000;

/** Runs a job of testing/worker.ts; its caller records messages and answers questions. */
function start(question: JobListener['question'] = (asked) => Promise.resolve({ asked })) {
  const { pool } = startTestPool({ resultBytes: 4 * 1024 * 1024 });
  const told: unknown[] = [];
  const caller = new AbortController();
  const listener: JobListener = { tell: (message) => void told.push(message), question };
  const run = (name: string, value?: unknown): Promise<unknown> =>
    pool.run('a', { name, value }, { signal: caller.signal, timeoutMs: LONG_MS, listener });
  return { pool, told, caller, run };
}

it('a job sends its caller messages in order, and drops those that are too many at once or too large', async () => {
  const { told, run } = start();
  const many = Array.from({ length: MAX_UNTOLD + 5 }, (_message, at) => ({ at }));
  const sent = await run('tell', ['x'.repeat(MAX_TOLD_BYTES), ...many]);
  expect(sent).toEqual([false, ...many.map(({ at }) => at < MAX_UNTOLD)]);
  expect(told).toEqual([...many.slice(0, MAX_UNTOLD), 'the last one']);
  const [half, rest] = ['x'.repeat(MAX_TOLD_BYTES / 2), 'y'.repeat(MAX_TOLD_BYTES / 2 - 2)];
  expect(await run('tell', [half, rest, half.slice(4), 'small'])).toEqual([true, false, true, false]);
});

it('a job asks its caller several things at once, and each answer belongs to its question', async () => {
  const answers = new Map<unknown, PromiseWithResolvers<unknown>>();
  const all = Promise.withResolvers<void>();
  const { run } = start((asked) => {
    answers.set(asked, Promise.withResolvers());
    if (answers.size === 3) all.resolve();
    return answers.get(asked)?.promise ?? Promise.reject(new Error());
  });
  const result = run('question', ['a', 'b', 'c']);
  await all.promise;
  for (const name of ['c', 'a']) answers.get(name)?.resolve({ for: name });
  answers.get('b')?.reject(new Error('a secret of the service'));
  expect(await result).toEqual([{ for: 'a' }, 'NoAnswerError', { for: 'c' }]);
});

it('questions that are too many at once or too large have no answer, nor do those that nobody listens to', async () => {
  const { run, pool } = start();
  const many = Array.from({ length: MAX_OPEN_QUESTIONS + 1 }, (_question, at) => at);
  expect(await run('question', many)).toEqual([
    ...many.slice(0, -1).map((asked) => ({ asked })),
    'NoAnswerError',
  ]);
  expect(await run('question', ['x'.repeat(MAX_QUESTION_BYTES)])).toEqual(['NoAnswerError']);
  const alone = { signal: new AbortController().signal, timeoutMs: LONG_MS };
  expect(await pool.run('a', { name: 'question', value: ['a'] }, alone)).toEqual(['NoAnswerError']);
});

it('a question that is open when its job is cancelled has no answer, and there are none after', async () => {
  const { run, caller } = start(() => {
    caller.abort();
    return new Promise(() => undefined);
  });
  expect(await run('questionWhenCancelled')).toEqual(['NoAnswerError', 'NoAnswerError']);
});

it('an answer that comes after the end of its job reaches no other job', async () => {
  const answer = Promise.withResolvers<unknown>();
  const { run } = start((asked) => (asked === 'first' ? answer.promise : Promise.resolve('of another')));
  expect(await run('questionWithoutWaiting')).toBe('done');
  answer.resolve('late');
  expect(await run('question', ['next'])).toEqual(['of another']);
});

it.each(['floodMessages', 'floodQuestions', 'tellTooMuch', 'askTwiceByOneNumber', 'tellGarbage'])(
  'a worker that exceeds the limits of messages is ended: %s',
  async (name) => {
    const { run, told } = start(() => new Promise(() => undefined));
    await expect(run(name)).rejects.toMatchObject({ reason: 'protocol' });
    expect(told.length).toBeLessThanOrEqual(MAX_UNTOLD);
  },
);

it('a question of a worker may not be larger than those of its jobs', () => {
  const messages = new CallMessages(undefined);
  expect([MAX_QUESTION_BYTES, MAX_QUESTION_BYTES + 1].map((bytes) => messages.mayQuestion(1, bytes))).toEqual(
    [true, false],
  );
});
