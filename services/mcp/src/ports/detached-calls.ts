import type { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { McpClient } from '../domain/mcp-client.ts';
import type { TaskMode } from '../domain/task.ts';
import type { ServiceRequest } from './client-channel.ts';
import type { CallOutcome, ToolCall } from './tool-calls.ts';

/** A call that continues after its request has ended. */
export interface Task {
  readonly taskId: string;
  /** The tool's name in the call. */
  readonly toolName: string;
  readonly state: TaskState;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** When it is removed. */
  readonly expiresAt: Date;
}

export type TaskState =
  | { readonly kind: 'working' }
  | { readonly kind: 'inputRequired'; readonly requests: readonly ServiceRequest[] }
  | {
      readonly kind: 'ended';
      /** The outcome, or the reason for a refusal; undefined in a list. */
      readonly outcome: CallOutcome | ApiError | undefined;
      /** Whether the call was refused, or its tool failed. */
      readonly isFailed: boolean;
    }
  | { readonly kind: 'cancelled' }
  /** The outcome is unknown. */
  | { readonly kind: 'lost' };

/** A started call, with its outcome if it ended in time. */
export type StartedCall =
  | { readonly kind: 'outcome'; readonly outcome: CallOutcome }
  | { readonly kind: 'task'; readonly task: Task };

/** A task of the caller at a server. */
export interface TaskName {
  readonly serverId: string;
  readonly taskId: string;
}

export interface TaskPage {
  readonly tasks: readonly Task[];
  readonly hasMore: boolean;
}

/** Calls that may outlive their requests. A caller only sees its own; NOT_FOUND otherwise. */
export interface DetachedCalls {
  /** Throws an ApiError if the call is refused in time. */
  start(
    ctx: RequestContext,
    call: ToolCall,
    o: TaskMode & { readonly client: McpClient; readonly serverId: string; readonly toolName: string },
  ): Promise<StartedCall>;
  /** The task as soon as it has ended or needs an answer, or its state after `waitMs`. */
  get(ctx: RequestContext, name: TaskName, waitMs: number): Promise<Task>;
  /** Delivers the client's results to pending requests of the call, by key, as JSON objects. Others are ignored. */
  answer(ctx: RequestContext, name: TaskName, results: ReadonlyMap<string, Uint8Array>): Promise<void>;
  cancel(ctx: RequestContext, name: TaskName): Promise<Task>;
  /** The newest tasks; with `after`, those older than it. */
  list(
    ctx: RequestContext,
    page: { readonly serverId: string; readonly after: string | undefined; readonly limit: number },
  ): Promise<TaskPage>;
}
