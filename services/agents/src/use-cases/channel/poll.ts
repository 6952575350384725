import { MAX_POLL_MS } from '@fairlead/agent-channel/channel';
import type { AgentSettings, PollRequest } from '@fairlead/agent-channel/messages';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { detachedContext } from '@fairlead/service-kit/context/detached-context';
import type { OpenedTask, Task } from '../../domain/task.ts';
import type { AgentSession } from '../../ports/agent-sessions.ts';
import type { AgentWakes } from '../../ports/agent-wakes.ts';
import type { TaskStore } from '../../ports/task-store.ts';

export interface PollDeps {
  readonly tasks: Pick<TaskStore, 'listOpen' | 'take' | 'findTaken' | 'release'>;
  readonly wakes: AgentWakes;
  readonly clock: Clock;
}

/** The tasks for a process, and those among its tasks that it is to drop. */
export interface PollResult {
  readonly settings: AgentSettings;
  readonly tasks: readonly OpenedTask[];
  readonly cancelledTaskIds: readonly string[];
}

/** An answer with this much of inputs takes no further task. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** Tasks that need no slot, in one answer. */
const MAX_WITHOUT_SLOT = 10;
const RELEASE_MS = 5_000;

/**
 * Waits for something to tell a process: tasks within its free slots, tasks whose answer got lost, and cancellations. Undefined: there was
 * nothing until the poll was over, or another poll of the agent has begun. `session` reads the agent again, and throws if the token
 * or the process is no longer its own. `signal` aborts when the client has gone or this replica stops.
 */
export async function poll(
  deps: PollDeps,
  ctx: RequestContext,
  { pollId, freeSlots, taskIds }: PollRequest & { readonly pollId: string },
  o: { readonly session: () => Promise<AgentSession>; readonly signal: AbortSignal },
): Promise<PollResult | undefined> {
  let session = await o.session();
  const endMs = performance.now() + Math.min(session.settings.pullPeriodSeconds * 1_000, MAX_POLL_MS);
  for (;;) {
    if (session.pollId !== pollId || o.signal.aborted) return undefined;
    // Before it looks, so that nothing is missed.
    const woken = wakeOf(deps.wakes, session.creationId);
    try {
      const looked = session;
      const result = await look(deps, ctx, looked, { freeSlots, taskIds });
      // Whoever has replaced the process or its token may have looked for its tasks before these were taken.
      session = await o.session().catch(async (error: unknown) => {
        if (!o.signal.aborted) await release(deps, ctx, looked, result?.tasks ?? []);
        throw error;
      });
      // The next poll of the process gets the tasks.
      if (o.signal.aborted || session.pollId !== pollId) return undefined;
      if (result !== undefined) return { settings: session.settings, ...result };
      const leftMs = endMs - performance.now();
      if (leftMs <= 0) return undefined;
      await woken.within(Math.min(leftMs, deps.wakes.lookAgainMs()), o.signal);
    } finally {
      woken.stop();
    }
    if (performance.now() >= endMs) return undefined;
  }
}

async function look(
  { tasks, clock }: PollDeps,
  ctx: RequestContext,
  { accountId, creationId: agentKey, instance, settings }: AgentSession,
  { freeSlots, taskIds }: PollRequest,
): Promise<Omit<PollResult, 'settings'> | undefined> {
  if (instance === null) return undefined;
  const open = await tasks.listOpen(ctx, accountId, agentKey);
  const inHand = open.filter(({ state }) => state !== 'queued');
  const queued = open.filter(({ state }) => state === 'queued');
  const calls = queued.filter(({ kind }) => kind === 'call').length;
  const own = new Set(inHand.filter((task) => task.instance === instance).map(({ id }) => id));
  const cancelledTaskIds = taskIds.filter((id) => !own.has(id));
  const known = new Set(taskIds);
  const isLost = (task: Task): boolean =>
    task.instance === instance && task.state === 'taken' && !known.has(task.id);
  const given: OpenedTask[] = [];
  for (const { id } of inHand.filter(isLost)) {
    const task = await tasks.findTaken(ctx, accountId, id, instance);
    if (task !== undefined) given.push(task);
  }
  let bytes = given.reduce((sum, { input }) => sum + input.length, 0);
  const take = async (slot: number | null): Promise<boolean> => {
    if (bytes >= MAX_ANSWER_BYTES) return false;
    const task = await tasks.take(ctx, accountId, agentKey, { instance, slot, now: clock.now() });
    if (task === undefined) return false;
    given.push(task);
    bytes += task.input.length;
    return true;
  };
  const withoutSlot = Math.min(queued.length - calls, MAX_WITHOUT_SLOT);
  for (let count = 0; count < withoutSlot && (await take(null)); count += 1);
  const occupied = new Set(inHand.map(({ slot }) => slot));
  const slots = Array.from({ length: settings.parallelTasks }, (_, slot) => slot);
  const lostCalls = given.filter(({ slot }) => slot !== null).length;
  const free = slots.filter((slot) => !occupied.has(slot)).slice(0, Math.max(0, freeSlots - lostCalls));
  for (const slot of free.slice(0, calls)) if (!(await take(slot))) break;
  if (given.length === 0 && cancelledTaskIds.length === 0) return undefined;
  return { tasks: given, cancelledTaskIds };
}

/** Puts tasks back that their process must not get. */
async function release(
  { tasks, wakes }: PollDeps,
  ctx: RequestContext,
  { accountId, creationId, instance }: AgentSession,
  given: readonly OpenedTask[],
): Promise<void> {
  if (instance === null || given.length === 0) return;
  const lasting = detachedContext(ctx, RELEASE_MS);
  for (const { id } of given) await tasks.release(lasting, accountId, id, instance);
  wakes.wake(creationId);
}

function wakeOf(
  wakes: AgentWakes,
  agentKey: string,
): { within(ms: number, signal: AbortSignal): Promise<void>; stop(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const unsubscribe = wakes.onWake(agentKey, resolve);
  return {
    async within(ms, signal) {
      const timer = setTimeout(resolve, ms);
      const stop = (): void => resolve();
      signal.addEventListener('abort', stop);
      if (signal.aborted) stop();
      await promise;
      signal.removeEventListener('abort', stop);
      clearTimeout(timer);
    },
    stop: unsubscribe,
  };
}
