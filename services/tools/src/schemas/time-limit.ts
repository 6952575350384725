import { createContext, Script } from 'node:vm';

/** The function exceeded its time limit and was stopped. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
}

const script = new Script('run()');
const sandbox = createContext({});

/** Maximum number of runs of a function that was stopped because the process was suspended. */
const MAX_RUNS = 3;

/**
 * Runs a synchronous function, or stops it after `limitMs` with a TimeLimitError. V8 interrupts it at any point, even
 * inside a backtracking regular expression, which nothing else within one thread can do. The function must keep no
 * state that a partial run would break: if the process and not the function was slow (it was frozen, or got no CPU), it
 * is run again. `cpuMs` returns the CPU time of this thread so far.
 */
export function runWithin<R>(limitMs: number, run: () => R, cpuMs: () => number = threadCpuMs): R {
  for (let runs = 1; ; runs += 1) {
    const before = cpuMs();
    try {
      return runOnce(limitMs, run);
    } catch (error) {
      const wasAtWork = cpuMs() - before > limitMs / 2;
      if (!(error instanceof TimeLimitError) || wasAtWork || runs === MAX_RUNS) throw error;
    }
  }
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

function runOnce<R>(limitMs: number, run: () => R): R {
  let result: { readonly value: R } | undefined;
  sandbox['run'] = (): void => {
    result = { value: run() };
  };
  try {
    script.runInContext(sandbox, { timeout: limitMs });
  } catch (error) {
    throw isInterruption(error) ? new TimeLimitError(`Stopped after ${limitMs} ms.`) : error;
  } finally {
    delete sandbox['run'];
  }
  if (!result) throw new TimeLimitError(`Stopped after ${limitMs} ms.`);
  return result.value;
}

function isInterruption(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
