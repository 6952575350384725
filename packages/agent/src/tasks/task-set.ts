import { MAX_TASKS_IN_HAND } from '@fairlead/agent-channel/channel';
import type { AgentTask } from '@fairlead/agent-channel/poll-answer';

/** Maximum remembered ids of ended tasks, which are not run again if they arrive again; the oldest id is dropped first. */
const MAX_KNOWN = 10_000;

interface RunningTask {
  readonly isCall: boolean;
  readonly abort: AbortController;
}

/** Runs a task and delivers its result. `signal` aborts when the task is cancelled. Never rejects. */
type RunTask = (task: AgentTask, signal: AbortSignal) => Promise<void>;

/** The process's current tasks: those that run, and those whose results are not delivered yet. */
export class TaskSet {
  readonly #run: RunTask;
  readonly #onSlotFree: () => void;
  readonly #running = new Map<string, RunningTask>();
  readonly #known = new Set<string>();
  #slots = 0;
  #onChange = Promise.withResolvers<void>();

  /** `onSlotFree` is called when a slot becomes free after all were in use. */
  constructor(run: RunTask, onSlotFree: () => void) {
    this.#run = run;
    this.#onSlotFree = onSlotFree;
  }

  /** Changes the maximum number of simultaneous calls; running calls continue. */
  setSlots(slots: number): void {
    const hadFree = this.freeSlots > 0;
    this.#slots = slots;
    if (!hadFree && this.freeSlots > 0) this.#onSlotFree();
  }

  get freeSlots(): number {
    const calls = [...this.#running.values()].filter(({ isCall }) => isCall).length;
    return Math.max(0, Math.min(this.#slots - calls, MAX_TASKS_IN_HAND - this.#running.size));
  }

  get ids(): string[] {
    return [...this.#running.keys()];
  }

  /** Starts a task and returns a promise of its end. Undefined: the process already got this task. */
  start(task: AgentTask): Promise<void> | undefined {
    const { id } = task;
    if (this.#known.has(id)) return undefined;
    this.#known.add(id);
    const [oldest] = this.#known;
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    const abort = new AbortController();
    this.#running.set(id, { isCall: task.kind === 'call', abort });
    return this.#run(task, abort.signal).finally(() => {
      const hadFree = this.freeSlots > 0;
      this.#running.delete(id);
      this.#onChange.resolve();
      this.#onChange = Promise.withResolvers();
      if (!hadFree && this.freeSlots > 0) this.#onSlotFree();
    });
  }

  /** Cancels tasks; unknown ids are ignored. */
  cancel(ids: readonly string[]): void {
    for (const id of ids) this.#running.get(id)?.abort.abort(new Error('The task was cancelled.'));
  }

  /** Resolves when there are no current tasks. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await this.#onChange.promise;
  }
}
