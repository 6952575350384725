import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { DevStack } from '../../setup/dev-stack.ts';

const POLL_MS = 20;
const RETURN_LIMIT_MS = 180_000;
/** The wrapper through which the launcher starts a program. */
const WRAPPER = 'setpriv\0';

/**
 * The ids of those children of the stack's launcher whose command line has `program` in it, oldest first: a script such
 * as `services/tools/src/main.ts` (one process a replica), or the name of a store's binary.
 */
export function processesOf(stack: Pick<DevStack, 'pid'>, program: string): number[] {
  const found: { readonly id: number; readonly startedAt: number }[] = [];
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = statOf(Number(entry));
      if (stat.parent !== stack.pid || stat.isZombie) continue;
      const command = readFileSync(`/proc/${entry}/cmdline`, 'utf8');
      // It is about to exec the program, and has no command line in between.
      if (command.startsWith(WRAPPER)) continue;
      if (command.includes(program)) found.push({ id: Number(entry), startedAt: stat.startedAt });
    } catch {
      // The process ended between the listing and the reading.
    }
  }
  return found.toSorted((a, b) => a.startedAt - b.startedAt).map(({ id }) => id);
}

/** The process that runs `program`, the oldest if it has replicas; throws if there is none. */
export function processOf(stack: Pick<DevStack, 'pid'>, program: string): number {
  const [id] = processesOf(stack, program);
  if (id === undefined) throw new Error(`${program} does not run`);
  return id;
}

/** How many processes the stack's launcher keeps for `program`: what it was told with `--replicas`, one otherwise. */
export function replicaCount(stack: Pick<DevStack, 'pid'>, program: string): number {
  const command = readFileSync(`/proc/${stack.pid}/cmdline`, 'utf8').split('\0');
  const given = command.includes('--replicas') ? command[command.indexOf('--replicas') + 1] : undefined;
  const counts = new Map(given?.split(',').map((one) => one.split('=') as [string, string | undefined]));
  return Number(counts.get(/services\/(\w+)\//.exec(program)?.[1] ?? '') ?? 1);
}

/**
 * Resolves once `program` has all its processes, to their ids, oldest first; throws after three minutes. Processes that a test
 * before has killed may still be starting.
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

/** The ids of a process and of its running descendants. */
export function processTree(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const { parent } = statOf(Number(entry));
      children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
    } catch {
      // The process ended between the listing and the reading.
    }
  }
  const tree = [root];
  for (const id of tree) tree.push(...(children.get(id) ?? []));
  return tree;
}

/**
 * Memory of a process in bytes, of which shared pages count in part (PSS, smaps_rollup of proc(5)); 0 if it has ended.
 * Processes of other users need root.
 */
export function pssBytesOf(id: number): number {
  try {
    const text = readFileSync(`/proc/${id}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1_024;
  } catch (error) {
    // The process ended between the listing and the reading.
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

/** Ends a process as a crash does: it cannot log or store anything more. */
export function kill(id: number): void {
  process.kill(id, 'SIGKILL');
}

/** Asks a process to stop in order, as an orchestrator does. */
export function terminate(id: number): void {
  process.kill(id, 'SIGTERM');
}

/** Freezes a process for `ms`: its connections stay open and it does not respond. It continues afterwards, whatever happens. */
export function freeze(id: number, ms: number): Promise<void> {
  return freezeDuring(id, () => delay(ms));
}

/** Freezes a process until `work` has ended, in whichever way. */
export async function freezeDuring<T>(id: number, work: () => Promise<T>): Promise<T> {
  process.kill(id, 'SIGSTOP');
  try {
    return await work();
  } finally {
    process.kill(id, 'SIGCONT');
  }
}

/**
 * Kills every process that runs `program`, and whatever is started in place of it, until `stop` is called. The first have been
 * killed when this returns.
 */
export function keepKilled(stack: Pick<DevStack, 'pid'>, program: string): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const killing = (async () => {
    while (!stopping.signal.aborted) {
      for (const id of processesOf(stack, program)) {
        try {
          kill(id);
        } catch {
          // It ended between the listing and the signal.
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

/** Kills that go on while calls are made. */
export interface RandomKills {
  /** Resolves when the next call may be made: the kills keep up with what has been done. */
  next(): Promise<void>;
  /** Resolves to the number of kills. */
  stop(): Promise<number>;
}

/**
 * Kills one of the processes that run `program`, at random, after every `per` of what has been `done`, and only while
 * another one serves and takes its calls.
 */
export function killAtRandom(
  stack: Pick<DevStack, 'pid'>,
  program: string,
  o: {
    readonly per: number;
    readonly done: () => number;
    /** After each kill, before the next one. */
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

/** Resolves once a service's process answers SERVING, as an orchestrator's readiness probe sees it. */
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

/** Resolves once `victim` is gone and `program` has all its processes, to their ids, oldest first; throws after three minutes. */
export function untilReplaced(
  stack: Pick<DevStack, 'pid'>,
  program: string,
  victim: number,
): Promise<readonly number[]> {
  return untilAllRun(stack, program, (running) => !running.includes(victim));
}

/** Fields of `/proc/<id>/stat`, see proc(5); the command, the second, may hold spaces and parentheses. */
function statOf(id: number): { parent: number; isZombie: boolean; startedAt: number } {
  const text = readFileSync(`/proc/${id}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { parent: Number(fields[1]), isZombie: fields[0] === 'Z', startedAt: Number(fields[19]) };
}
