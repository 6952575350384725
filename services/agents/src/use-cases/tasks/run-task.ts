import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { detachedContext } from '@fairlead/service-kit/context/detached-context';
import { uuidv7 } from '@fairlead/service-kit/ids';
import type { Agent } from '../../domain/agent.ts';
import type { Task, TaskKind } from '../../domain/task.ts';
import type { AgentWakes } from '../../ports/agent-wakes.ts';
import type { TaskStore } from '../../ports/task-store.ts';
import type { WaitingTasks } from '../../tasks/waiting-tasks.ts';

export interface RunTaskDeps {
  readonly tasks: Pick<TaskStore, 'insert' | 'cancel'>;
  readonly waiting: Pick<WaitingTasks, 'wait'>;
  readonly wakes: Pick<AgentWakes, 'wake'>;
  /** The name of this process, by which other replicas reach it. */
  readonly replicaUrl: () => string;
  readonly clock: Clock;
}

/** The result of a task, its end without one, or why it was not queued. */
export type TaskOutcome = { readonly id: string } & (
  | { readonly bytes: Uint8Array }
  | { readonly ended: Task }
  | { readonly refusal: Exclude<Awaited<ReturnType<TaskStore['insert']>>, 'queued'> }
);

/** Longer than a result that is being stored takes to arrive, and than a cancellation takes. */
const SETTLING_MS = 5_000;

/** Queues a task of an agent and waits for its end, until the deadline or until the caller has gone: then it is cancelled. */
export async function runTask(
  { tasks, waiting, wakes, replicaUrl, clock }: RunTaskDeps,
  ctx: RequestContext,
  { creationId: agentKey, accountId }: Pick<Agent, 'creationId'> & { readonly accountId: string },
  o: {
    /** Default: a new one. */
    readonly id?: string;
    readonly kind: TaskKind;
    readonly hasEffects: boolean;
    readonly input: string;
    readonly timeoutMs: number;
  },
): Promise<TaskOutcome> {
  const now = clock.now();
  const { timeoutMs, id = uuidv7(now), ...same } = o;
  const deadline = new Date(now.getTime() + timeoutMs);
  const { kind, hasEffects, input } = o;
  const wait = waiting.wait({ id, accountId, agentKey, kind, hasEffects }, Buffer.byteLength(input));
  if (wait === undefined) return { id, refusal: 'full' };
  const { result } = wait;
  try {
    const task = { ...same, id, agentKey, createdAt: now, deadline, waiter: replicaUrl() };
    const inserted = await tasks.insert(ctx, accountId, task);
    if (inserted !== 'queued') return { id, refusal: inserted };
    wakes.wake(agentKey);
    const inTime = await inTimeOf(result, timeoutMs, ctx.signal);
    if (inTime !== undefined) return { id, ...inTime };
    const cancelled = await tasks.cancel(detachedContext(ctx, SETTLING_MS), accountId, id, clock.now());
    wakes.wake(agentKey);
    if (cancelled !== undefined) return { id, ended: cancelled };
    // It ended meanwhile.
    const late = await inTimeOf(result, SETTLING_MS);
    if (late !== undefined) return { id, ...late };
    // The database has lost it, and nothing with effects was started.
    throw new ApiError('UNAVAILABLE', 'The task was lost. Nothing was changed; try again.');
  } finally {
    wait.leave();
  }
}

/** The result; undefined if there is none after this time, or when the signal aborts. */
async function inTimeOf<T>(result: Promise<T>, ms: number, signal?: AbortSignal): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const over = (): void => resolve(undefined);
  // Real time, because the caller's deadline is.
  const timer = setTimeout(over, ms).unref();
  signal?.addEventListener('abort', over);
  if (signal?.aborted === true) over();
  try {
    return await Promise.race([result, promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', over);
  }
}
