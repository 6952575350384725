import { createContext, Script } from 'node:vm';

/** The function ran longer than it may and was stopped. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
}

const script = new Script('run()');
const sandbox = createContext({});

/** A function that was stopped because the process stood still is run this often in all. */
const MAX_RUNS = 3;

/**
 * Runs a synchronous function, or stops it after `limitMs` with a TimeLimitError. V8 interrupts it wherever it is, also
 * inside a regular expression that backtracks, which nothing else in one thread can. It must keep no state that half a run
 * would break: where the process and not the function was slow (it was frozen, or got no CPU), it is run again. `cpuMs`
 * tells how long this thread was at work so far.
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
