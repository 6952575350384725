import { decodeOutcome } from '@fairlead/agent-channel/outcome';
import { expect, test, vi } from 'vitest';
import { taskDeps } from '../../testing/task-deps.ts';
import { ctx, stranger, useCaseDeps } from '../../testing/use-case-deps.ts';
import { runCall } from './run-call.ts';

const call = { callJson: Buffer.from('{"fields":{}}'), hasEffects: false, timeoutMs: 3_600_000 };

async function setUp(most?: number) {
  const { deps, create } = useCaseDeps();
  // `most` calls may be open.
  const tasks = taskDeps(most);
  const { id } = await create();
  const run = async (o: Partial<typeof call> = {}, by = ctx): Promise<unknown> =>
    decodeOutcome(await runCall({ ...deps, ...tasks }, by, { ...call, connectionId: id, ...o }));
  return { ...tasks, id, run, see: () => deps.agents.see(id, tasks.clock.now()) };
}

test('a call of an agent that is online is stored as a task and has the outcome that the agent delivers', async () => {
  const { run, see, tasks, waiting } = await setUp();
  see();
  const outcome = run();
  await vi.waitFor(() => expect(tasks.stored.size).toBe(1), 60_000);
  const [stored] = tasks.stored.values();
  expect(stored).toMatchObject({ kind: 'call', input: '{"fields":{}}', hasEffects: false });
  const delivered = { isSuccess: true, output: { rows: [] }, attempts: 1 };
  waiting.resolve(stored?.id ?? '', Buffer.from(JSON.stringify(delivered)));
  expect(await outcome).toEqual(delivered);
});

test.each([
  ['an agent that is not online', {}, false, 'Lab is WaitingForConnection. Nothing was executed'],
  ['a call that is too large', { callJson: Buffer.alloc(9 * 1024 ** 2) }, true, 'more than 8 MiB'],
  ['a call that nobody takes in time', { timeoutMs: 0, hasEffects: true }, true, 'Nothing was executed'],
])('the outcome of %s says why', async (_case, o, isSeen, text) => {
  const { run, see } = await setUp();
  if (isSeen) see();
  const outcome = await run(o);
  expect(outcome).toMatchObject({ isSuccess: false, attempts: 0 });
  expect(JSON.stringify(outcome)).toContain(text);
});

test('an agent that was deleted, or is another account’s, is named as deleted', async () => {
  const { run } = await setUp();
  expect(JSON.stringify(await run({}, stranger))).toContain('was deleted. Nothing was executed');
});

test('a call beyond the bound counts as overloaded', async () => {
  const { run, see } = await setUp(0);
  see();
  expect(await run()).toMatchObject({ isSuccess: false, isOverloaded: true });
});
