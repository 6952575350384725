import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import type {
  Execution,
  ExecutionDay,
  ExecutionFilter,
  ExecutionList,
  ExecutionRecord,
} from '../domain/execution.ts';

/** Selects a row of the history. */
export interface HistoryRowKey {
  readonly historyId: number;
  /** Created at this time or later. */
  readonly since: Date;
  /** Made with this restricted API key; undefined: any caller. */
  readonly keyId?: string | undefined;
}

/** Stores the history of executions; every method is limited to one account. */
export interface History {
  /** Stores a row and returns its new id; a settled row even if the request was cancelled. RATE_LIMIT_EXCEEDED if too many writes wait. */
  insert(
    ctx: RequestContext,
    accountId: string,
    record: ExecutionRecord,
    isSettled: boolean,
  ): Promise<number>;
  /**
   * Records that a call is about to start, and returns the id of its row. Readers of the history see that row until this process settles or
   * removes the call. RATE_LIMIT_EXCEEDED as for `insert`.
   */
  begin(ctx: RequestContext, accountId: string, record: ExecutionRecord): Promise<number>;
  /**
   * Writes the outcome of a row or of a started call, even if the request was cancelled. Returns the row's id, which in rare cases differs
   * from the intent's.
   */
  settle(accountId: string, historyId: number, record: ExecutionRecord): Promise<number>;
  /** Removes the row of a call that was refused after it was recorded or started. */
  remove(accountId: string, historyId: number): Promise<void>;
  /** Resolves once no write is in progress. For shutdown. */
  drain(): Promise<void>;
  /** Matching rows, newest first, and their total number; with `after`, only rows older than that id. */
  list(
    ctx: RequestContext,
    accountId: string,
    query: {
      readonly filter: ExecutionFilter & { readonly from: Date };
      readonly page: Page;
      readonly after?: number | undefined;
    },
  ): Promise<ExecutionList>;
  /** Whether such a row exists. */
  has(ctx: RequestContext, accountId: string, row: HistoryRowKey): Promise<boolean>;
  find(ctx: RequestContext, accountId: string, row: HistoryRowKey): Promise<Execution | undefined>;
  /** Days with rows created from `from` (inclusive) to `to` (exclusive), with counts. */
  countByDay(
    ctx: RequestContext,
    accountId: string,
    period: { readonly from: Date; readonly to: Date },
  ): Promise<readonly ExecutionDay[]>;
}
