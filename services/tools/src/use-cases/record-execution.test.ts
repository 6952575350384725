import { ApiError } from '@fairlead/errors/api-error';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { UNSETTLED_OUTCOME } from '../domain/execution.ts';
import { executionRecord } from '../testing/executions.ts';
import { MemoryHistory } from '../testing/tool-calls.ts';
import { recordExecution } from './record-execution.ts';

const record = executionRecord();
const refusal = new ApiError('VALIDATION_ERROR', 'No such column.');

/** Records a call in `history`; `call` gets what the history holds while it runs. */
function recorded(history: MemoryHistory, end: 'answer' | 'refusal', seen: unknown[] = []) {
  return recordExecution({ history }, testContext(), 'acc_1', record, () => {
    seen.push(...history.rows.values());
    return Promise.resolve(end === 'answer' ? { record, answer: 'done' } : { refusal });
  });
}

test('the row is there before the call, with an outcome that is not known, and has its end after it', async () => {
  const history = new MemoryHistory();
  const seen: unknown[] = [];
  expect(await recorded(history, 'answer', seen)).toEqual({ historyId: 1, answer: 'done' });
  expect(seen).toEqual([{ ...record, outcome: UNSETTLED_OUTCOME, accountId: 'acc_1', isSettled: false }]);
  expect(history.rows.get(1)).toEqual({ ...record, accountId: 'acc_1', isSettled: true });
});

test('nothing is called where the row cannot be begun', async () => {
  const seen: unknown[] = [];
  const history = new MemoryHistory('insert');
  await expect(
    recordExecution({ history }, testContext(), 'acc_1', record, () => {
      seen.push('called');
      return Promise.resolve({ record, answer: 'done' });
    }),
  ).rejects.toThrow('no database');
  expect(seen).toEqual([]);
});

test('the answer and the id stand also where the end of the row cannot be written', async () => {
  const history = new MemoryHistory('settle');
  expect(await recorded(history, 'answer')).toEqual({ historyId: 1, answer: 'done' });
  expect(history.rows.get(1)?.isSettled).toBe(false);
});

test('a refusal is thrown and takes its row with it; also where the row cannot be removed', async () => {
  const history = new MemoryHistory();
  await expect(recorded(history, 'refusal')).rejects.toBe(refusal);
  expect(history.rows.size).toBe(0);
  await expect(recorded(new MemoryHistory('remove'), 'refusal')).rejects.toBe(refusal);
});
