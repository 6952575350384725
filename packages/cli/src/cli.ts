#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { run } from './run.ts';

// A reader that has exited (`| head -1`) is not our failure, and there is nowhere to report it.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    throw error;
  });
}

const interrupt = new AbortController();
process.once('SIGINT', () => interrupt.abort());

process.exitCode = await run(process.argv.slice(2), {
  environment: process.env,
  cwd: process.cwd(),
  defaultData: fileURLToPath(new URL('../../../.fairlead', import.meta.url)),
  platform: process.platform,
  in: process.stdin,
  out: process.stdout,
  err: process.stderr,
  isTerminal: process.stdout.isTTY,
  now: () => new Date(),
  wait: (ms) => setTimeout(ms, undefined, { signal: interrupt.signal }),
  openBrowser,
  signal: interrupt.signal,
});

function openBrowser(url: string): void {
  const [command, ...args] = browserCommand();
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  // Without a browser the person uses the printed address.
  child.on('error', () => undefined);
  child.unref();
}

function browserCommand(): [string, ...string[]] {
  switch (process.platform) {
    case 'darwin':
      return ['open'];
    case 'win32':
      // Not `start`, whose shell would interpret the address.
      return ['rundll32', 'url.dll,FileProtocolHandler'];
    default:
      return ['xdg-open'];
  }
}
