import type { TaskWithInput, TaskState } from '../domain/task.ts';
import type { TaskStore } from '../ports/task-store.ts';

type MemoryTasks = Pick<
  TaskStore,
  | 'insert'
  | 'listOpen'
  | 'take'
  | 'findUnstarted'
  | 'complete'
  | 'takeOver'
  | 'cancel'
  | 'release'
  | 'takeFromOthers'
  | 'endAll'
>;

/** Tasks in memory, for use cases of one agent. At most `most` tasks may be open. */
export function memoryTasks(most = 200): MemoryTasks & { readonly stored: Map<string, TaskWithInput> } {
  const stored = new Map<string, TaskWithInput>();
  const withState = (...states: TaskState[]): TaskWithInput[] =>
    [...stored.values()].filter(({ state }) => states.includes(state));
  const change = (id: string, members: Partial<TaskWithInput>): TaskWithInput | undefined => {
    const task = stored.get(id);
    if (task === undefined) return undefined;
    const changed = { ...task, ...members };
    stored.set(id, changed);
    return changed;
  };
  return {
    stored,
    insert(_ctx, accountId, task, by) {
      if (withState('queued', 'taken', 'started').length >= most) return Promise.resolve('full');
      if (by !== undefined && withState('taken').some(({ slot }) => slot === by.slot))
        return Promise.resolve('occupied');
      const taken = by === undefined ? { state: 'queued' as const } : { state: 'taken' as const, ...by };
      stored.set(task.id, {
        instance: null,
        slot: null,
        end: null,
        wasStarted: false,
        ...task,
        ...taken,
        accountId,
      });
      return Promise.resolve('queued');
    },
    listOpen: () => Promise.resolve(withState('queued', 'taken', 'started')),
    take(_ctx, _accountId, _agentKey, { instance, slot }) {
      const next = withState('queued').find(({ kind }) => (kind === 'call') === (slot !== null));
      return Promise.resolve(next && change(next.id, { state: 'taken', instance, slot }));
    },
    findUnstarted: (_ctx, _accountId, id) => Promise.resolve(stored.get(id)),
    complete(_ctx, _accountId, id) {
      return Promise.resolve(change(id, { state: 'ended' }) !== undefined);
    },
    takeOver(_ctx, _accountId, id, waiter) {
      const isOpen = withState('queued', 'taken', 'started').some((task) => task.id === id);
      return Promise.resolve(isOpen && change(id, { waiter }) !== undefined);
    },
    cancel(_ctx, _accountId, id) {
      const before = stored.get(id);
      if (before === undefined || before.state === 'ended') return Promise.resolve(undefined);
      change(id, { state: 'ended', end: 'cancelled' });
      return Promise.resolve(before);
    },
    takeFromOthers: () => Promise.resolve(),
    endAll: () => Promise.resolve(),
    release(_ctx, _accountId, id) {
      change(id, { state: 'queued', instance: null, slot: null });
      return Promise.resolve();
    },
  };
}

/** Wakes waiters within one process. */
export function memoryWakes() {
  const listeners = new Set<() => void>();
  return {
    wake: () => {
      for (const listener of listeners) listener();
    },
    onWake: (_agentKey: string, listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    lookAgainMs: () => 60_000,
  };
}
