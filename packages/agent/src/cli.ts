#!/usr/bin/env node
import { runAgent } from './run-agent.ts';

const stop = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    // A second signal does not wait for running calls.
    if (stop.signal.aborted) process.exit(1);
    stop.abort();
  });
}

process.exitCode = await runAgent(process.argv.slice(2), {
  env: process.env,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  stop: stop.signal,
});
