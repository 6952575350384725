import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const MAIN = fileURLToPath(new URL('../../main.ts', import.meta.url));
const EARLY_STOP = new URL('early-stop.ts', import.meta.url).href;

/** Starts a process of node, which the test ends. */
function start(args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Sends SIGTERM; resolves to the exit code, or the signal that ended it. */
async function stop(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
  return child.exitCode ?? child.signalCode;
}

it('a command that listens for no signal ends by itself at one', async () => {
  const mongod = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void mongod.close());
  await once(mongod, 'listening');
  // A TCP server has an address of this type.
  const { port } = mongod.address() as AddressInfo;
  const connected = once(mongod, 'connection');
  const child = start([MAIN, 'init-replica-set', '--mongodb', `127.0.0.1:${String(port)}`]);
  await connected;
  expect(await stop(child)).toBe(143);
});

it('a program that listens for the signal decides by itself', async () => {
  const program = `
    const { stopUntilHandled } = await import(${JSON.stringify(EARLY_STOP)});
    stopUntilHandled();
    process.on('SIGTERM', () => setTimeout(() => process.exit(7), 10));
    process.stderr.write('ready');
    setInterval(() => {}, 1000);
  `;
  const child = start(['--input-type=module', '--eval', program]);
  if (child.stderr !== null) await once(child.stderr, 'data');
  expect(await stop(child)).toBe(7);
});
