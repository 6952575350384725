import type { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { McpClient } from '../domain/mcp-client.ts';
import type { TaskMode } from '../domain/task.ts';
import type { PassedRequest } from './client-channel.ts';
import type { CallOutcome, ToolCall } from './tool-calls.ts';

/** A call that goes on after the request that began it. */
export interface Task {
  readonly taskId: string;
  /** The name of the tool, as the client called it. */
  readonly toolName: string;
  readonly state: TaskState;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** It is kept until then. */
  readonly expiresAt: Date;
}

/** The state of a task. */
export type TaskState =
  | { readonly kind: 'working' }
  | { readonly kind: 'inputRequired'; readonly requests: readonly PassedRequest[] }
  | {
      readonly kind: 'ended';
      /** The outcome, or why the call was refused; undefined in a list. */
      readonly outcome: CallOutcome | ApiError | undefined;
      /** Whether the call was refused, or its tool failed. */
      readonly isFailed: boolean;
    }
  | { readonly kind: 'cancelled' }
  /** Nobody knows the outcome. */
  | { readonly kind: 'lost' };

/** A call that was started: its outcome, if it ended in time. */
export type StartedCall =
  | { readonly kind: 'outcome'; readonly outcome: CallOutcome }
  | { readonly kind: 'task'; readonly task: Task };

/** A task of the caller at a server. */
export interface TaskName {
  readonly serverId: string;
  readonly taskId: string;
}

/** A page of tasks. */
export interface TaskPage {
  readonly tasks: readonly Task[];
  readonly hasMore: boolean;
}

/** Calls that may outlive the request that began them. The caller sees no others than its own; NOT_FOUND otherwise. */
export interface DetachedCalls {
  /** Throws ApiError for a call that is refused in time. */
  start(
    ctx: RequestContext,
    call: ToolCall,
    o: TaskMode & { readonly client: McpClient; readonly serverId: string; readonly toolName: string },
  ): Promise<StartedCall>;
  /** The task once it has ended or needs an answer, or as it is after `waitMs`. */
  get(ctx: RequestContext, name: TaskName, waitMs: number): Promise<Task>;
  /** Passes on results of the client to pending requests of the call, by their keys: JSON of objects. Others are ignored. */
  answer(ctx: RequestContext, name: TaskName, results: ReadonlyMap<string, Uint8Array>): Promise<void>;
  cancel(ctx: RequestContext, name: TaskName): Promise<Task>;
  /** The newest tasks, those after `after` if that is given. */
  list(
    ctx: RequestContext,
    page: { readonly serverId: string; readonly after: string | undefined; readonly limit: number },
  ): Promise<TaskPage>;
}
