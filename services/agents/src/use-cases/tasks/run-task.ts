import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { detachedContext } from '@fairlead/service-kit/context/detached-context';
import { uuidv7 } from '@fairlead/service-kit/ids';
import type { Agent } from '../../domain/agent.ts';
import type { TaskWithInput, Task, TaskKind } from '../../domain/task.ts';
import type { AgentWakes } from '../../ports/agent-wakes.ts';
import type { NewTask, TaskStore } from '../../ports/task-store.ts';
import type { ClaimedPlace } from '../../tasks/open-places.ts';
import type { WaitingTasks } from '../../tasks/waiting-tasks.ts';

export interface RunTaskDeps {
  readonly tasks: Pick<TaskStore, 'insert' | 'cancel' | 'release' | 'takeOver'>;
  readonly waiting: Pick<WaitingTasks, 'wait'>;
  readonly wakes: Pick<AgentWakes, 'wake'>;
  /** Name of this process, at which other replicas reach it. */
  readonly replicaUrl: () => string;
  readonly clock: Clock;
}

/** The result of a task, its end without one, or why it was not queued. */
export type TaskOutcome = { readonly id: string } & (
  | { readonly bytes: Uint8Array }
  | { readonly ended: Task }
  | { readonly refusal: Exclude<Awaited<ReturnType<TaskStore['insert']>>, 'queued'> | 'ended' }
);

/** Longer than storing a result, or a cancellation, takes. */
const SETTLING_MS = 5_000;

/**
 * Runs a task of an agent: queues it, gives it to the process at `place`, or takes over one that another replica has stored. Waits for its
 * end, at most until the deadline or until the caller has gone, and then cancels it.
 */
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
  place?: ClaimedPlace | 'stored',
): Promise<TaskOutcome> {
  const now = clock.now();
  const { timeoutMs, id = uuidv7(now), ...same } = o;
  const deadline = new Date(now.getTime() + timeoutMs);
  const { kind, hasEffects, input } = o;
  const wait = waiting.wait({ id, accountId, agentKey, kind, hasEffects }, Buffer.byteLength(input));
  if (wait === undefined) return { id, refusal: 'full' };
  const { result } = wait;
  const cancel = (): ReturnType<TaskStore['cancel']> =>
    tasks.cancel(detachedContext(ctx, SETTLING_MS), accountId, id, clock.now());
  try {
    const task = { ...same, id, agentKey, createdAt: now, deadline, waiter: replicaUrl() };
    const inserting =
      place === undefined
        ? tasks.insert(ctx, accountId, task)
        : place === 'stored'
          ? takeOver(tasks, ctx, { ...task, accountId })
          : give(tasks, ctx, { ...task, accountId }, place);
    const inserted = await inserting.catch(async (error: unknown) => {
      // The task may be stored although no response came; then it must be cancelled.
      await cancel().catch(() => {
        throw new ApiError('TIMEOUT', 'The task could not be stored in time.', { cause: error });
      });
      throw error;
    });
    if (inserted === 'queued') wakes.wake(agentKey);
    else if (inserted !== 'given') return { id, refusal: inserted };
    const inTime = await inTimeOf(result, timeoutMs, ctx.signal);
    if (inTime !== undefined) return { id, ...inTime };
    const cancelled = await cancel();
    wakes.wake(agentKey);
    if (cancelled !== undefined) return { id, ended: cancelled };
    // The task ended meanwhile, so its result is about to arrive.
    const late = await inTimeOf(result, SETTLING_MS);
    if (late !== undefined) return { id, ...late };
    // The database has lost the task. Nothing with effects was started, because that would have survived.
    throw new ApiError('UNAVAILABLE', 'The task was lost. Nothing was changed; try again.');
  } finally {
    wait.leave();
  }
}

async function takeOver(
  tasks: RunTaskDeps['tasks'],
  ctx: RequestContext,
  { accountId, id, waiter }: Pick<Task, 'accountId' | 'id' | 'waiter'>,
): Promise<'given' | 'ended'> {
  return (await tasks.takeOver(ctx, accountId, id, waiter)) ? 'given' : 'ended';
}

/** Stores a call as taken and gives it to the process; `queued` if token, process or poll of the offer were replaced. */
async function give(
  tasks: RunTaskDeps['tasks'],
  ctx: RequestContext,
  { accountId, ...task }: NewTask & { readonly accountId: string },
  place: ClaimedPlace,
): Promise<Awaited<ReturnType<TaskStore['insert']>> | 'given'> {
  const { slot } = place;
  const { instance } = place.session;
  if (instance === null) return 'occupied';
  const [inserted, checked] = await Promise.allSettled([
    tasks.insert(ctx, accountId, task, { instance, slot }),
    place.check(),
  ]);
  if (inserted.status === 'rejected') throw inserted.reason;
  if (inserted.value !== 'queued') return inserted.value;
  const session = checked.status === 'fulfilled' ? checked.value : undefined;
  if (session === undefined) {
    // Queues it again, unless the process has started it after another poll.
    await tasks.release(detachedContext(ctx, SETTLING_MS), accountId, task.id, instance);
    return 'queued';
  }
  const taken: TaskWithInput = {
    ...task,
    accountId,
    instance,
    slot,
    state: 'taken',
    end: null,
    wasStarted: false,
  };
  place.leave({ task: taken, session });
  return 'given';
}

/** The result; undefined if none arrives within this time, or when the signal aborts. */
async function inTimeOf<T>(result: Promise<T>, ms: number, signal?: AbortSignal): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const over = (): void => resolve(undefined);
  // Real time, because the caller's deadline uses it.
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
