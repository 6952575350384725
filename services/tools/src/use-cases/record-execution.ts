import type { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { UNSETTLED_OUTCOME } from '../domain/execution.ts';
import type { ExecutionRecord } from '../domain/execution.ts';
import type { History } from '../ports/history.ts';

/** What recordExecution needs of the history. */
export interface RecordExecutionDeps {
  readonly history: Pick<History, 'insert' | 'settle' | 'remove'>;
}

/** An execution that ended: its row, and what its caller is told beside it. */
interface Ended<R> {
  readonly record: ExecutionRecord;
  readonly answer: R;
}

/** A call that was refused after all, with nothing executed. */
interface Refused {
  readonly refusal: ApiError;
}

/**
 * Runs `call` with a row of the history around it, and answers the row's id.
 *
 * The row is there before the vendor is called, with an outcome that is not known: when it cannot be written, the error is
 * thrown and nobody has been called; when the process dies in the call, the row stays and says so. Once the vendor has
 * been called, nothing is thrown but a refusal of `call`, which takes its row with it: where the end cannot be written, the
 * caller still learns the true outcome, and the id that it gets is that of a row that exists.
 */
export async function recordExecution<R>(
  deps: RecordExecutionDeps,
  ctx: RequestContext,
  accountId: string,
  started: Omit<ExecutionRecord, 'outcome' | 'outputMismatch'>,
  call: () => Promise<Ended<R> | Refused>,
): Promise<{ readonly historyId: number; readonly answer: R }> {
  const unsettled = { ...started, outcome: UNSETTLED_OUTCOME, outputMismatch: [] };
  const historyId = await deps.history.insert(ctx, accountId, unsettled, false);
  const logged = (isSuccess: boolean) => (error: unknown) => {
    ctx.log.error({ err: error, historyId, isSuccess }, 'end of an execution not recorded');
  };
  const end = await call();
  if ('refusal' in end) {
    await deps.history.remove(accountId, historyId).catch(logged(false));
    throw end.refusal;
  }
  const { record, answer } = end;
  await deps.history.settle(accountId, historyId, record).catch(logged(record.outcome.isSuccess));
  return { historyId, answer };
}
