import { setTimeout as delay } from 'node:timers/promises';
import type { ExitStatus } from '@fairlead/local-stores/local-process';

/** A process that runs and is ready. */
export interface Runnable {
  readonly pid: number;
  readonly exited: Promise<ExitStatus>;
  stop(): Promise<unknown>;
}

/** A process that is restarted whenever it dies, until it is stopped. */
export interface SupervisedProcess {
  readonly name: string;
  /** Ends it permanently. */
  stop(): Promise<void>;
}

/** The process to keep running. */
export interface SupervisionOptions<R extends Runnable> {
  readonly name: string;
  readonly logFile: string;
  /** Starts the process and resolves when it is ready; leaves nothing behind if it rejects. */
  readonly start: (o: { isRestart: boolean; signal: AbortSignal }) => Promise<R>;
  /** Called after every start, with the ready process. */
  readonly onStarted?: (process: R) => Promise<void>;
  readonly report: (line: string) => void;
  /** Aborting ends the first start. */
  readonly signal: AbortSignal;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** A process that lived this long counts as started: pauses begin with the shortest again. */
const STEADY_MS = 30_000;

/**
 * Starts a process and keeps it running: one that dies is reported in one line and restarted, first
 * at once, then after pauses that double up to 5 s. Rejects if the first start fails.
 */
export async function supervise<R extends Runnable>(o: SupervisionOptions<R>): Promise<SupervisedProcess> {
  const stopping = new AbortController();
  const isStopping = (): boolean => stopping.signal.aborted;
  let current = await o.start({ isRestart: false, signal: o.signal });
  await o.onStarted?.(current);

  const watch = async (): Promise<void> => {
    let pauseMs = FIRST_PAUSE_MS;
    for (;;) {
      const startedAt = Date.now();
      const status = await current.exited;
      if (isStopping()) return;
      o.report(`${o.name} ended (${describeExit(status)}), restarting it; log: ${o.logFile}`);
      if (Date.now() - startedAt > STEADY_MS) pauseMs = FIRST_PAUSE_MS;
      const next = await restart(pauseMs);
      if (next === undefined) return;
      current = next.process;
      if (isStopping()) {
        await current.stop();
        return;
      }
      pauseMs = next.pauseMs;
      o.report(`${o.name} is running again`);
    }
  };

  const restart = async (firstPauseMs: number): Promise<{ process: R; pauseMs: number } | undefined> => {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (isStopping()) return undefined;
      try {
        const process = await o.start({ isRestart: true, signal: stopping.signal });
        await o.onStarted?.(process);
        return { process, pauseMs: Math.min(2 * pauseMs, LONGEST_PAUSE_MS) };
      } catch (error) {
        if (isStopping()) return undefined;
        o.report(`${o.name} did not start: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  };

  const watching = watch();
  return {
    name: o.name,
    stop: async () => {
      stopping.abort();
      await current.stop();
      await watching;
    },
  };
}

/** How a process ended, for people: `code 1`, `SIGKILL`. */
export function describeExit(status: ExitStatus): string {
  return status.signal ?? `code ${String(status.code)}`;
}
