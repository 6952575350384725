import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { DevStack } from '../../setup/dev-stack.ts';

const POLL_MS = 20;
const RETURN_LIMIT_MS = 180_000;
/** The wrapper with which the launcher starts programs. */
const WRAPPER = 'setpriv\0';

/**
 * Ids of the launcher's child processes with `program` in their command line, oldest first: a script such as `services/tools/src/main.ts`
 * (one process per replica), or the name of a store's binary.
 */
export function processesOf(stack: Pick<DevStack, 'pid'>, program: string): number[] {
  const found: { readonly id: number; readonly startedAt: number }[] = [];
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = statOf(Number(entry));
      if (stat.parent !== stack.pid || stat.isZombie) continue;
      const command = readFileSync(`/proc/${entry}/cmdline`, 'utf8');
      // About to exec the program; in between it has no command line.
      if (command.startsWith(WRAPPER)) continue;
      if (command.includes(program)) found.push({ id: Number(entry), startedAt: stat.startedAt });
    } catch {
      // The process has ended since it was listed.
    }
  }
  return found.toSorted((a, b) => a.startedAt - b.startedAt).map(({ id }) => id);
}

/** The process of `program`, the oldest of several; throws if there is none. */
export function processOf(stack: Pick<DevStack, 'pid'>, program: string): number {
  const [id] = processesOf(stack, program);
  if (id === undefined) throw new Error(`${program} does not run`);
  return id;
}

/** Number of processes that the launcher keeps for `program`: by `--replicas`, otherwise one. */
export function replicaCount(stack: Pick<DevStack, 'pid'>, program: string): number {
  const command = readFileSync(`/proc/${stack.pid}/cmdline`, 'utf8').split('\0');
  const given = command.includes('--replicas') ? command[command.indexOf('--replicas') + 1] : undefined;
  const counts = new Map(given?.split(',').map((one) => one.split('=') as [string, string | undefined]));
  return Number(counts.get(/services\/(\w+)\//.exec(program)?.[1] ?? '') ?? 1);
}

/**
 * Resolves to the ids of all processes of `program`, oldest first, once they are all running; throws after three minutes. Processes killed
 * by an earlier test may still be starting.
 */
export function allOf(stack: Pick<DevStack, 'pid'>, program: string): Promise<readonly number[]> {
  return untilAllRun(stack, program, () => true);
}

async function untilAllRun(
  stack: Pick<DevStack, 'pid'>,
  program: string,
  isMeant: (running: readonly number[]) => boolean,
): Promise<readonly number[]> {
  const deadline = Date.now() + RETURN_LIMIT_MS;
  for (;;) {
    const running = processesOf(stack, program);
    if (running.length === replicaCount(stack, program) && isMeant(running)) return running;
    if (Date.now() > deadline) throw new Error(`${program} was not started again`);
    await delay(POLL_MS);
  }
}

/** Ids of a process and its running descendants. */
export function processTree(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const { parent } = statOf(Number(entry));
      children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
    } catch {
      // The process has ended since it was listed.
    }
  }
  const tree = [root];
  for (const id of tree) tree.push(...(children.get(id) ?? []));
  return tree;
}

/**
 * Memory of a process in bytes, with shared pages counted in part (PSS, smaps_rollup of proc(5)); 0 if it has ended. For other users'
 * processes root is needed.
 */
export function pssBytesOf(id: number): number {
  try {
    const text = readFileSync(`/proc/${id}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1_024;
  } catch (error) {
    // The process has ended since it was listed.
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return 0;
    throw error;
  }
}

/** The environment that a process was started with. */
export function environmentOf(id: number): Record<string, string> {
  const entries = readFileSync(`/proc/${id}/environ`, 'utf8').split('\0').filter(Boolean);
  return Object.fromEntries(
    entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  );
}

/** Kills a process, like a crash: it cannot log or store anything more. */
export function kill(id: number): void {
  process.kill(id, 'SIGKILL');
}

/** Asks a process to stop gracefully, like an orchestrator. */
export function terminate(id: number): void {
  process.kill(id, 'SIGTERM');
}

/** Freezes a process for `ms`: its connections stay open but it does not respond. It is continued in any case. */
export function freeze(id: number, ms: number): Promise<void> {
  return freezeDuring(id, () => delay(ms));
}

/** Freezes a process until `work` has ended, successfully or not. */
export async function freezeDuring<T>(id: number, work: () => Promise<T>): Promise<T> {
  process.kill(id, 'SIGSTOP');
  try {
    return await work();
  } finally {
    process.kill(id, 'SIGCONT');
  }
}

/** Kills every process of `program`, and each restarted one, until `stop` is called. The first are already killed on return. */
export function keepKilled(stack: Pick<DevStack, 'pid'>, program: string): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const killing = (async () => {
    while (!stopping.signal.aborted) {
      for (const id of processesOf(stack, program)) {
        try {
          kill(id);
        } catch {
          // The process has ended since it was listed.
        }
      }
      await delay(POLL_MS);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await killing;
    },
  };
}

/** Kills during a load. */
export interface RandomKills {
  /** Resolves when the next call may be made, so that the kills keep pace. */
  next(): Promise<void>;
  /** Resolves to the number of kills. */
  stop(): Promise<number>;
}

/** Kills a random process of `program` each time `done` has increased by `per`, and only while another one serves and takes its calls. */
export function killAtRandom(
  stack: Pick<DevStack, 'pid'>,
  program: string,
  o: {
    readonly per: number;
    readonly done: () => number;
    /** Called after each kill; the next kill waits for it. */
    readonly onKill?: () => Promise<void>;
  },
): RandomKills {
  const { per, done, onKill } = o;
  const stopping = new AbortController();
  let kills = 0;
  const killing = (async () => {
    while (!stopping.signal.aborted) {
      await delay(POLL_MS);
      const running = processesOf(stack, program);
      const victim = running[Math.floor(Math.random() * running.length)];
      if (victim === undefined || running.length < 2 || done() < (kills + 1) * per) continue;
      await Promise.all(running.map(untilServing));
      kill(victim);
      await onKill?.();
      kills += 1;
    }
  })();
  return {
    async next() {
      while (done() >= (kills + 2) * per) await delay(POLL_MS);
    },
    async stop() {
      stopping.abort();
      await killing;
      return kills;
    },
  };
}

/** Resolves once a service's process answers SERVING to an orchestrator's readiness probe. */
export async function untilServing(id: number): Promise<void> {
  const url = `http://127.0.0.1:${environmentOf(id)['PORT']}/grpc.health.v1.Health/Check`;
  for (;;) {
    const text = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    }).then(
      (answer) => answer.text(),
      () => '',
    );
    if (text.includes('"SERVING"')) return;
    await delay(POLL_MS);
  }
}

/** Resolves to the ids, oldest first, once `victim` has ended and `program` has all its processes; throws after three minutes. */
export function untilReplaced(
  stack: Pick<DevStack, 'pid'>,
  program: string,
  victim: number,
): Promise<readonly number[]> {
  return untilAllRun(stack, program, (running) => !running.includes(victim));
}

/** Fields of `/proc/<id>/stat`, see proc(5); the second one, the command, may contain spaces and parentheses. */
function statOf(id: number): { parent: number; isZombie: boolean; startedAt: number } {
  const text = readFileSync(`/proc/${id}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { parent: Number(fields[1]), isZombie: fields[0] === 'Z', startedAt: Number(fields[19]) };
}
