import { runAgent } from './run-agent.ts';

/** Runs this process's program with the environment `env`, and sets the exit code. */
export async function runProgram(env: NodeJS.ProcessEnv): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      // A second signal ends the process without waiting for running calls.
      if (stop.signal.aborted) process.exit(1);
      stop.abort();
    });
  }
  // Standard output is closed; the lines are still written to the files.
  process.stdout.on('error', () => undefined);
  process.exitCode = await runAgent(process.argv.slice(2), {
    env,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    stop: stop.signal,
  });
}
