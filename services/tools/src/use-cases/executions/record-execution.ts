import type { RequestContext } from '@fairlead/service-kit/context/context';
import { UNSETTLED_OUTCOME } from '../../domain/execution.ts';
import type { ExecutionRecord } from '../../domain/execution.ts';
import type { History } from '../../ports/history.ts';

export interface RecordExecutionDeps {
  readonly history: Pick<History, 'insert' | 'begin' | 'settle' | 'remove'>;
}

/** A finished execution: its row, and the result for its caller. */
interface ExecutionEnd<R> {
  readonly record: ExecutionRecord;
  readonly result: R;
}

/** A call that was refused after recording began, with nothing executed. */
interface CallRefusal {
  readonly refusal: Error;
}

/** An execution to record. */
interface RecordOptions {
  readonly accountId: string;
  /** Whether the call may have effects, so that an intent is written first. */
  readonly mayHaveEffects: boolean;
  /** The row at the start of the call. */
  readonly started: () => Omit<ExecutionRecord, 'outcome' | 'outputMismatch'>;
  /** Undoes the admission, if nothing was executed. Never rejects. */
  readonly undo: () => Promise<void>;
}

/**
 * Runs `call`, records it as a row of the history, and returns the row's id once the row is acknowledged.
 *
 * The beginning of a call that may have effects is written before the vendor is called, with an unknown outcome. If it cannot be written,
 * the error is thrown and no vendor is called; if the process dies during the call, the history has a row that says so. Once the vendor has
 * been called, only a refusal of `call` is thrown, which leaves no row. If the outcome cannot be written, the caller still
 * gets the true outcome, and the id of a row that exists.
 *
 * The row of a call without effects is written once, after it. If it cannot be written, the error is thrown: the call can be repeated.
 */
export async function recordExecution<R>(
  deps: RecordExecutionDeps,
  ctx: RequestContext,
  { accountId, mayHaveEffects, started, undo }: RecordOptions,
  call: () => Promise<ExecutionEnd<R> | CallRefusal>,
): Promise<{ readonly historyId: number; readonly result: R }> {
  if (!mayHaveEffects) {
    const end = await call();
    if ('refusal' in end) {
      await undo();
      throw end.refusal;
    }
    return { historyId: await deps.history.insert(ctx, accountId, end.record, true), result: end.result };
  }
  const begin = async (): Promise<number> => {
    const unsettled = { ...started(), outcome: UNSETTLED_OUTCOME, outputMismatch: [] };
    return await deps.history.begin(ctx, accountId, unsettled);
  };
  const historyId = await begin().catch(async (error: unknown) => {
    await undo();
    throw error;
  });
  const logged =
    (isSuccess: boolean) =>
    (error: unknown): undefined => {
      ctx.log.error({ err: error, historyId, isSuccess }, 'outcome of an execution not recorded');
    };
  const end = await call();
  if ('refusal' in end) {
    await deps.history.remove(accountId, historyId).catch(logged(false));
    await undo();
    throw end.refusal;
  }
  const { record, result } = end;
  const settled = await deps.history
    .settle(accountId, historyId, record)
    .catch(logged(record.outcome.isSuccess));
  return { historyId: settled ?? historyId, result };
}
