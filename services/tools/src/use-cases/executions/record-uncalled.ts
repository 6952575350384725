import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CheckedCall } from '../../domain/checked-call.ts';
import type { ExecutionResult } from '../../domain/execution.ts';
import { historyRecord, uncalledRecord } from '../../domain/history-record.ts';
import { maskEverything } from '../../domain/masking.ts';
import type { History } from '../../ports/history.ts';

/** The history, as recordUncalled uses it. */
export interface RecordUncalledDeps {
  readonly history: Pick<History, 'insert'>;
}

/** Records the failure of a call that ended before its vendor was called. Which inputs are secret may be unknown. */
export async function recordUncalled(
  deps: RecordUncalledDeps,
  ctx: RequestContext,
  { maskedFields, info }: Pick<CheckedCall, 'maskedFields' | 'info'>,
  errorMessage: string,
): Promise<ExecutionResult> {
  const record = historyRecord(uncalledRecord(maskedFields.shown, info(0), errorMessage), maskEverything);
  const historyId = await deps.history.insert(ctx, accountOf(ctx), record, true);
  return { outcome: record.outcome, historyId, info: record.info };
}
