import type { PoolCall } from './pool-call.ts';
import type { WorkerProcess } from './worker-process.ts';
import type { CallGroup } from './call-group.ts';

interface Home {
  readonly worker: WorkerProcess;
  running: number;
  usedAt: number;
}

/** The worker of each group of calls. */
export class CallGroups {
  readonly #homes = new Map<string, Home>();
  /** The groups of running calls. */
  readonly #running = new Map<PoolCall, Home>();

  /** The worker of the call's group; undefined: none, or it is about to end. */
  homeOf(call: PoolCall): { readonly worker: WorkerProcess; readonly running: number } | undefined {
    const home = call.group && this.#homes.get(nameOf(call, call.group));
    return home === undefined || home.worker.isLost || home.worker.isRetiring ? undefined : home;
  }

  /** Called when a call is given to a worker. If its group has no worker, this one becomes the group's worker. */
  start(call: PoolCall, worker: WorkerProcess): void {
    if (call.group === undefined) return;
    const name = nameOf(call, call.group);
    let home = this.homeOf(call) === undefined ? undefined : this.#homes.get(name);
    if (home === undefined) this.#homes.set(name, (home = { worker, running: 0, usedAt: 0 }));
    home.running += 1;
    this.#running.set(call, home);
  }

  /** Called when a call has ended at a worker; `now` is monotonic. */
  end(call: PoolCall, now: number): void {
    const home = this.#running.get(call);
    if (home === undefined) return;
    this.#running.delete(call);
    home.running -= 1;
    home.usedAt = now;
  }

  /** Drops groups whose worker is gone, or that had no call for `idleMs`. */
  sweep(now: number, idleMs: number): void {
    for (const [name, { worker, running, usedAt }] of this.#homes)
      if (worker.isLost || (running === 0 && now - usedAt > idleMs)) this.#homes.delete(name);
  }
}

// No account id contains a space.
function nameOf({ account }: PoolCall, { name }: CallGroup): string {
  return `${account} ${name}`;
}
