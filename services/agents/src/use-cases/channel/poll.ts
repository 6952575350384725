import { MAX_POLL_MS } from '@fairlead/agent-channel/channel';
import type { AgentSettings, PollRequest } from '@fairlead/agent-channel/messages';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { detachedContext } from '@fairlead/service-kit/context/detached-context';
import type { TaskWithInput, Task } from '../../domain/task.ts';
import type { AgentSession } from '../../ports/agent-sessions.ts';
import type { AgentWakes } from '../../ports/agent-wakes.ts';
import type { TaskStore } from '../../ports/task-store.ts';
import type { OpenPlaces } from '../../tasks/open-places.ts';

export interface PollDeps {
  readonly tasks: Pick<TaskStore, 'listOpen' | 'take' | 'findUnstarted' | 'release'>;
  readonly wakes: AgentWakes;
  readonly places: Pick<OpenPlaces, 'open'>;
  readonly clock: Clock;
}

/** New tasks for a process, and those of its tasks that it must drop. */
export interface PollResult {
  readonly settings: AgentSettings;
  readonly tasks: readonly TaskWithInput[];
  readonly cancelledTaskIds: readonly string[];
}

/** Once a response has this many bytes of inputs, it gets no further task. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** Maximum number of tasks without a slot in one response. */
const MAX_WITHOUT_SLOT = 10;
const RELEASE_MS = 5_000;

/**
 * Waits until there is something for a process: tasks within its free slots, tasks whose response was lost, or cancellations. While it
 * waits, callers in this replica may give it a call directly. Undefined: nothing arrived before the end of the poll, or a newer poll of the
 * agent has begun. `session` reads the agent again, and throws if its token or process was replaced. `signal` aborts when the client has
 * gone or this replica stops.
 */
export async function poll(
  deps: PollDeps,
  ctx: RequestContext,
  { pollId, freeSlots, taskIds }: PollRequest & { readonly pollId: string },
  o: { readonly session: () => Promise<AgentSession>; readonly signal: AbortSignal },
): Promise<PollResult | undefined> {
  let session = await o.session();
  const endMs = performance.now() + Math.min(session.settings.pullPeriodSeconds * 1_000, MAX_POLL_MS);
  let freeSlot: number | undefined;
  let isWoken = false;
  let isFirst = true;
  for (;;) {
    if (session.pollId !== pollId || o.signal.aborted) return undefined;
    // Subscribes before it checks, so that no wake-up is missed.
    const woken = wakeOf(deps.wakes, session.creationId);
    try {
      const slot: number | undefined = isWoken ? freeSlot : undefined;
      const found = await find(deps, ctx, session, { asked: { freeSlots, taskIds }, slot, isFirst, ...o });
      isFirst = false;
      ({ session, freeSlot } = found);
      // A newer poll of the process gets the tasks.
      if (o.signal.aborted || session.pollId !== pollId) return undefined;
      const { tasks, cancelledTaskIds } = found;
      if (!isNothing(found)) return { settings: session.settings, tasks, cancelledTaskIds };
      const leftMs = endMs - performance.now();
      if (leftMs <= 0) return undefined;
      isWoken = false;
      // After taking a call only, it checks for everything else before it waits.
      if (slot === undefined) {
        const waitMs = Math.min(leftMs, deps.wakes.lookAgainMs());
        const place = freeSlot === undefined ? undefined : openPlace(deps, found, { pollId, woken, ...o });
        isWoken = await woken.within(waitMs, o.signal);
        const call = await place?.close();
        if (call !== undefined && !o.signal.aborted)
          return { settings: call.session.settings, tasks: [call.task], cancelledTaskIds: [] };
        // The client has gone: the process's next poll gets the call, and may already have looked for it.
        if (call !== undefined) deps.wakes.wake(session.creationId);
      }
    } finally {
      woken.stop();
    }
    if (performance.now() >= endMs) return undefined;
  }
}

/** Offers the free slot to callers in this replica. */
function openPlace(
  { places }: PollDeps,
  { session, freeSlot: slot = 0 }: PollMatch & { readonly session: AgentSession },
  o: {
    readonly pollId: string;
    readonly woken: { wake(): void };
    readonly session: () => Promise<AgentSession>;
  },
): ReturnType<OpenPlaces['open']> {
  const check = async (): Promise<AgentSession | undefined> => {
    const checked = await o.session();
    const isOpen = checked.pollId === o.pollId && slot < checked.settings.parallelTasks;
    return isOpen ? checked : undefined;
  };
  return places.open({ session, slot, check }, () => o.woken.wake());
}

interface PollMatch extends Omit<PollResult, 'settings'> {
  /** A slot for one call; it stays free until this poll ends. */
  readonly freeSlot?: number | undefined;
}

function isNothing({ tasks, cancelledTaskIds }: PollMatch): boolean {
  return tasks.length === 0 && cancelledTaskIds.length === 0;
}

/**
 * Finds tasks and cancellations for the process; with a free `slot`, takes at most one call, which gets the slot. Rejects if the token or the
 * process was replaced meanwhile.
 */
async function find(
  deps: PollDeps,
  ctx: RequestContext,
  looked: AgentSession,
  o: {
    readonly asked: PollRequest;
    readonly slot: number | undefined;
    readonly isFirst: boolean;
    readonly session: () => Promise<AgentSession>;
    readonly signal: AbortSignal;
  },
): Promise<PollMatch & { readonly session: AgentSession }> {
  const { asked, slot } = o;
  const looking =
    slot === undefined
      ? look(deps, ctx, looked, { ...asked, session: o.session })
      : takeCall(deps, ctx, looked, slot);
  // Read the session after taking tasks: a process that replaced this one may have looked for its tasks before these were taken. The first
  // check may reuse the session read just before if it found nothing.
  const checking =
    slot === undefined
      ? looking.then((found) => (o.isFirst && isNothing(found) ? looked : o.session()))
      : o.session();
  const [found, checked] = await Promise.allSettled([looking, checking]);
  if (checked.status === 'rejected') {
    if (found.status === 'fulfilled' && !o.signal.aborted)
      await release(deps, ctx, looked, found.value.tasks);
    throw checked.reason;
  }
  if (found.status === 'rejected') throw found.reason;
  return { ...found.value, session: checked.value };
}

/** Takes only the oldest call: a wake-up almost always means a queued call. */
async function takeCall(
  { tasks, clock }: PollDeps,
  ctx: RequestContext,
  { accountId, creationId, instance }: AgentSession,
  slot: number,
): Promise<PollMatch> {
  const task =
    instance === null
      ? undefined
      : await tasks.take(ctx, accountId, creationId, { instance, slot, now: clock.now() });
  return { tasks: task === undefined ? [] : [task], cancelledTaskIds: [] };
}

async function look(
  { tasks, clock }: PollDeps,
  ctx: RequestContext,
  { accountId, creationId: agentKey, instance, settings }: AgentSession,
  { freeSlots, taskIds, session }: PollRequest & { readonly session: () => Promise<AgentSession> },
): Promise<PollMatch> {
  if (instance === null) return { tasks: [], cancelledTaskIds: [] };
  const open = await tasks.listOpen(ctx, accountId, agentKey);
  // An earlier process took these tasks just as it was replaced.
  const strayed = open.filter((task) => task.state === 'taken' && task.instance !== instance);
  // First make sure that this process is not the one that was replaced.
  if (strayed.length > 0) await session();
  for (const task of strayed) await tasks.release(ctx, accountId, task.id, task.instance ?? '');
  const inHand = open.filter((task) => task.state !== 'queued' && !strayed.includes(task));
  const queued = open.filter((task) => !inHand.includes(task));
  const calls = queued.filter(({ kind }) => kind === 'call').length;
  const own = new Set(inHand.filter((task) => task.instance === instance).map(({ id }) => id));
  const cancelledTaskIds = taskIds.filter((id) => !own.has(id));
  const known = new Set(taskIds);
  const isLost = (task: Task): boolean =>
    task.instance === instance && task.state === 'taken' && !known.has(task.id);
  const newTasks: TaskWithInput[] = [];
  for (const { id } of inHand.filter(isLost)) {
    const task = await tasks.findUnstarted(ctx, accountId, id, instance);
    if (task !== undefined) newTasks.push(task);
  }
  let bytes = newTasks.reduce((sum, { input }) => sum + input.length, 0);
  const take = async (slot: number | null): Promise<boolean> => {
    if (bytes >= MAX_ANSWER_BYTES) return false;
    const task = await tasks.take(ctx, accountId, agentKey, { instance, slot, now: clock.now() });
    if (task === undefined) return false;
    newTasks.push(task);
    bytes += task.input.length;
    return true;
  };
  const withoutSlot = Math.min(queued.length - calls, MAX_WITHOUT_SLOT);
  for (let count = 0; count < withoutSlot && (await take(null)); count += 1);
  const occupied = new Set(inHand.map(({ slot }) => slot));
  const slots = Array.from({ length: settings.parallelTasks }, (_, slot) => slot);
  const lostCalls = newTasks.filter(({ slot }) => slot !== null).length;
  const free = slots.filter((slot) => !occupied.has(slot)).slice(0, Math.max(0, freeSlots - lostCalls));
  for (const slot of free.slice(0, calls)) if (!(await take(slot))) break;
  return { tasks: newTasks, cancelledTaskIds, freeSlot: free[0] };
}

/** Queues tasks again that their process must not get. */
async function release(
  { tasks, wakes }: PollDeps,
  ctx: RequestContext,
  { accountId, creationId, instance }: AgentSession,
  newTasks: readonly TaskWithInput[],
): Promise<void> {
  if (instance === null || newTasks.length === 0) return;
  const lasting = detachedContext(ctx, RELEASE_MS);
  for (const { id } of newTasks) await tasks.release(lasting, accountId, id, instance);
  wakes.wake(creationId);
}

function wakeOf(
  wakes: AgentWakes,
  agentKey: string,
): {
  /** Resolves with whether it was woken. */
  within(ms: number, signal: AbortSignal): Promise<boolean>;
  wake(): void;
  stop(): void;
} {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const wake = (): void => resolve(true);
  const unsubscribe = wakes.onWake(agentKey, wake);
  return {
    wake,
    async within(ms, signal) {
      const stop = (): void => resolve(false);
      const timer = setTimeout(stop, ms);
      signal.addEventListener('abort', stop);
      if (signal.aborted) stop();
      const isWoken = await promise;
      signal.removeEventListener('abort', stop);
      clearTimeout(timer);
      return isWoken;
    },
    stop: unsubscribe,
  };
}
