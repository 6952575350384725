import { runAgent } from './run-agent.ts';

/** Runs the program of this process until its end, with the environment `env`, and sets the exit code. */
export async function runProgram(env: NodeJS.ProcessEnv): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      // A second signal does not wait for running calls.
      if (stop.signal.aborted) process.exit(1);
      stop.abort();
    });
  }
  // Nobody reads the lines any more; the files have them, too.
  process.stdout.on('error', () => undefined);
  process.exitCode = await runAgent(process.argv.slice(2), {
    env,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    stop: stop.signal,
  });
}
