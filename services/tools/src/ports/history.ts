import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import type {
  Execution,
  ExecutionDay,
  ExecutionFilter,
  ExecutionList,
  ExecutionRecord,
} from '../domain/execution.ts';

/** A row of the history that is kept. */
export interface HistoryRowKey {
  readonly historyId: number;
  /** Created then or later. */
  readonly since: Date;
  /** Made with this confined API key; undefined: however it was made. */
  readonly keyId?: string | undefined;
}

/** The history of executions; every method is confined to one account. */
export interface History {
  /** Stores a row and returns its new id; a settled one even if the request was cancelled. RATE_LIMIT_EXCEEDED if too many others wait. */
  insert(
    ctx: RequestContext,
    accountId: string,
    record: ExecutionRecord,
    isSettled: boolean,
  ): Promise<number>;
  /**
   * Records that a call begins, and returns the id of its row. Whoever reads the history before the call is settled or removed,
   * which only this process can do, finds that row. RATE_LIMIT_EXCEEDED as `insert`.
   */
  begin(ctx: RequestContext, accountId: string, record: ExecutionRecord): Promise<number>;
  /** Writes the outcome of a row or of a call that has begun, even if the request was cancelled. The row's id, which in rare cases is not that of the intent. */
  settle(accountId: string, historyId: number, record: ExecutionRecord): Promise<number>;
  /** Removes the row of a call that was refused after it was recorded or had begun. */
  remove(accountId: string, historyId: number): Promise<void>;
  /** Resolves once nothing is being written. For a stop. */
  drain(): Promise<void>;
  /** The matching rows, newest first, with their total number; with `after`, only those older than that id. */
  list(
    ctx: RequestContext,
    accountId: string,
    query: {
      readonly filter: ExecutionFilter & { readonly from: Date };
      readonly page: Page;
      readonly after?: number | undefined;
    },
  ): Promise<ExecutionList>;
  /** Whether there is such a row. */
  has(ctx: RequestContext, accountId: string, row: HistoryRowKey): Promise<boolean>;
  find(ctx: RequestContext, accountId: string, row: HistoryRowKey): Promise<Execution | undefined>;
  /** The days that have rows created from `from` (inclusive) to `to` (exclusive). */
  countByDay(
    ctx: RequestContext,
    accountId: string,
    period: { readonly from: Date; readonly to: Date },
  ): Promise<readonly ExecutionDay[]>;
}
