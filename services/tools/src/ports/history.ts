import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import type {
  Execution,
  ExecutionDay,
  ExecutionFilter,
  ExecutionList,
  ExecutionRecord,
} from '../domain/execution.ts';

/** The history of executions; every method is confined to one account. */
export interface History {
  /** Stores a row and answers its new id. */
  insert(
    ctx: RequestContext,
    accountId: string,
    record: ExecutionRecord,
    isSettled: boolean,
  ): Promise<number>;
  /** Writes the end of a row, whatever became of the request. */
  settle(accountId: string, historyId: number, record: ExecutionRecord): Promise<void>;
  /** Removes the row of a call that was refused after all. */
  remove(accountId: string, historyId: number): Promise<void>;
  /** The rows that match, newest first, with the number of all of them. */
  list(
    ctx: RequestContext,
    accountId: string,
    query: { readonly filter: ExecutionFilter & { readonly from: Date }; readonly page: Page },
  ): Promise<ExecutionList>;
  /** The row of that id, created at `since` or later. */
  find(
    ctx: RequestContext,
    accountId: string,
    historyId: number,
    since: Date,
  ): Promise<Execution | undefined>;
  /** The days that have rows created from `from` on and before `to`. */
  countByDay(
    ctx: RequestContext,
    accountId: string,
    period: { readonly from: Date; readonly to: Date },
  ): Promise<readonly ExecutionDay[]>;
}
