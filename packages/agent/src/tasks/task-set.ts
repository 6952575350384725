import { MAX_TASKS_IN_HAND } from '@fairlead/agent-channel/channel';
import type { AgentTask } from '@fairlead/agent-channel/poll-answer';

/** Ids of ended tasks that are not run again when they are sent again; the oldest is forgotten first. */
const MAX_KNOWN = 10_000;

interface RunningTask {
  readonly isCall: boolean;
  readonly abort: AbortController;
}

/** Runs a task to its end, with its result delivered. `signal` aborts when it is cancelled. Never rejects. */
type RunTask = (task: AgentTask, signal: AbortSignal) => Promise<void>;

/** The tasks that the process has in hand: those that run, and those whose result is not delivered yet. */
export class TaskSet {
  readonly #run: RunTask;
  readonly #onSlotFree: () => void;
  readonly #running = new Map<string, RunningTask>();
  readonly #known = new Set<string>();
  #slots = 0;
  #onChange = Promise.withResolvers<void>();

  /** `onSlotFree` is called when there is a free slot after there was none. */
  constructor(run: RunTask, onSlotFree: () => void) {
    this.#run = run;
    this.#onSlotFree = onSlotFree;
  }

  /** Changes how many calls may run at the same time; calls that run already go on. */
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

  /** Starts a task, and returns its end. Undefined: the process has had it already. */
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

  /** Resolves once no task is in hand. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await this.#onChange.promise;
  }
}
