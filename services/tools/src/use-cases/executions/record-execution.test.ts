import { ApiError } from '@fairlead/errors/api-error';
import { testContext } from '@fairlead/service-kit/testing/context';
import { beforeEach, expect, test, vi } from 'vitest';
import { UNSETTLED_OUTCOME } from '../../domain/execution.ts';
import { executionRecord } from '../../testing/executions.ts';
import { MemoryHistory } from '../../testing/tool-calls.ts';
import { recordExecution } from './record-execution.ts';

const record = executionRecord();
const undo = vi.fn(() => Promise.resolve());
const WITH_EFFECTS = { accountId: 'acc_1', mayHaveEffects: true, started: () => record, undo };
const WITHOUT_EFFECTS = { ...WITH_EFFECTS, mayHaveEffects: false };
const refusal = new ApiError('VALIDATION_ERROR', 'No such column.');

beforeEach(() => undo.mockClear());

/** Records a call in `history`; `call` gets the content of the history while it runs. */
function recorded(history: MemoryHistory, end: 'result' | 'refusal', seen: unknown[] = []) {
  return recordExecution({ history }, testContext(), WITH_EFFECTS, () => {
    seen.push(...history.rows.values());
    return Promise.resolve(end === 'result' ? { record, result: 'done' } : { refusal });
  });
}

test('the row is written before the call with an unknown outcome, and completed after it', async () => {
  const history = new MemoryHistory();
  const seen: unknown[] = [];
  expect(await recorded(history, 'result', seen)).toEqual({ historyId: 1, result: 'done' });
  expect(seen).toEqual([{ ...record, outcome: UNSETTLED_OUTCOME, accountId: 'acc_1', isSettled: false }]);
  expect(history.rows.get(1)).toEqual({ ...record, accountId: 'acc_1', isSettled: true });
});

test('the call does not run if the row cannot be created', async () => {
  const seen: unknown[] = [];
  const history = new MemoryHistory('insert');
  await expect(
    recordExecution({ history }, testContext(), WITH_EFFECTS, () => {
      seen.push('called');
      return Promise.resolve({ record, result: 'done' });
    }),
  ).rejects.toThrow('no database');
  expect(seen).toEqual([]);
});

test('the result and the id are returned even if the row cannot be completed', async () => {
  const history = new MemoryHistory('settle');
  expect(await recorded(history, 'result')).toEqual({ historyId: 1, result: 'done' });
  expect(history.rows.get(1)?.isSettled).toBe(false);
});

test('the id is that of the row, although the call began with another one', async () => {
  const history = new MemoryHistory();
  const settle = (): Promise<number> => Promise.resolve(2);
  expect(await recorded(Object.assign(history, { settle }), 'result')).toEqual({
    historyId: 2,
    result: 'done',
  });
});

test('a refusal is thrown and removes its row; it is thrown even if the row cannot be removed', async () => {
  const history = new MemoryHistory();
  await expect(recorded(history, 'refusal')).rejects.toBe(refusal);
  expect(history.rows.size).toBe(0);
  await expect(recorded(new MemoryHistory('remove'), 'refusal')).rejects.toBe(refusal);
});

test('the row of a call without effects is written once, after it', async () => {
  const history = new MemoryHistory('settle', 'remove');
  const seen: unknown[] = [];
  const call = () => {
    seen.push(...history.rows.values());
    return Promise.resolve({ record, result: 'done' });
  };
  const recorded = await recordExecution({ history }, testContext(), WITHOUT_EFFECTS, call);
  expect(recorded).toEqual({ historyId: 1, result: 'done' });
  expect(seen).toEqual([]);
  expect(history.rows.get(1)).toEqual({ ...record, accountId: 'acc_1', isSettled: true });
});

test('nothing is answered to a call without effects whose row cannot be written, and a refused one has none', async () => {
  const unwritten = new MemoryHistory('insert');
  const done = () => Promise.resolve({ record, result: 'done' });
  await expect(recordExecution({ history: unwritten }, testContext(), WITHOUT_EFFECTS, done)).rejects.toThrow(
    'no database',
  );
  const history = new MemoryHistory();
  await expect(
    recordExecution({ history }, testContext(), WITHOUT_EFFECTS, () => Promise.resolve({ refusal })),
  ).rejects.toBe(refusal);
  expect(history.rows.size).toBe(0);
});

test('what the call has used is given back if nothing was executed, and only then', async () => {
  const call = (end: 'result' | 'refusal') =>
    Promise.resolve(end === 'result' ? { record, result: 'done' } : { refusal });
  const undone = async (
    recorded: typeof WITH_EFFECTS,
    end: 'result' | 'refusal',
    broken: readonly ('insert' | 'begin' | 'settle' | 'remove')[] = [],
  ) => {
    undo.mockClear();
    const history = new MemoryHistory(...broken);
    await recordExecution({ history }, testContext(), recorded, () => call(end)).catch(() => undefined);
    return undo.mock.calls.length;
  };
  expect(await undone(WITH_EFFECTS, 'result', ['begin'])).toBe(1);
  expect(await undone(WITH_EFFECTS, 'refusal', ['remove'])).toBe(1);
  const started = () => {
    throw new Error('no row');
  };
  expect(await undone({ ...WITH_EFFECTS, started }, 'result')).toBe(1);
  expect(await undone(WITHOUT_EFFECTS, 'refusal')).toBe(1);
  expect(await undone(WITH_EFFECTS, 'result', ['settle'])).toBe(0);
  expect(await undone(WITHOUT_EFFECTS, 'result', ['insert'])).toBe(0);
});
