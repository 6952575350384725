import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { announcement } from './announcement.ts';
import { HELP, parseCommand } from './arguments.ts';
import { reportTo } from './console-report.ts';
import { launch } from './launch.ts';
import type { LaunchOptions } from './launch.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

// If the reader exits first (`npm start | tee log`, then Ctrl-C), the stack still stops in order.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const command = parseCommand(process.argv.slice(2), {
  cwd: process.cwd(),
  defaultData: join(ROOT, '.fairlead'),
});
switch (command.kind) {
  case 'help':
    process.stdout.write(HELP);
    break;
  case 'invalid':
    fail(`${command.message} (npm start -- --help explains)`);
    break;
  case 'start':
    await run(command);
}

/** Runs the stack until a signal stops it; a second signal exits without waiting. */
async function run(o: Pick<LaunchOptions, 'port' | 'data' | 'replicas'>): Promise<void> {
  const started = performance.now();
  const report = reportTo(process.stdout);
  const stopping = new AbortController();
  const stopRequest = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (stopping.signal.aborted) process.exit(1);
        stopping.abort();
        report.line('Stopping (press Ctrl-C again to exit without waiting)');
        resolve();
      });
    }
  });
  try {
    const stack = await launch({ ...o, environment: process.env, report, signal: stopping.signal });
    const seconds = (performance.now() - started) / 1_000;
    report.line(announcement(stack.dev, { devFile: stack.devFile, seconds }));
    await stopRequest;
    await stack.stop();
  } catch (error) {
    if (!stopping.signal.aborted) fail(error instanceof Error ? error.message : String(error));
  }
  if (stopping.signal.aborted) report.line('Stopped');
  // Explicit, because a kept-alive connection of a health check would delay the exit for seconds.
  process.exit();
}

function fail(message: string): void {
  process.stderr.write(`fairlead: ${message.replaceAll(/\s*\n\s*/g, '; ')}\n`);
  process.exitCode = 1;
}
