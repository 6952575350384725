import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, copyFile, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const START_LIMIT_MS = 120_000;

/** Installs Prism by its lock file into the cache, once; resolves to the program's path. */
export async function installPrism(cache: string): Promise<string> {
  const lock = await readFile(join(import.meta.dirname, 'package-lock.json'));
  const digest = createHash('sha256').update(lock).digest('hex').slice(0, 16);
  const directory = join(cache, `prism-${digest}`);
  const program = join('node_modules', '@stoplight', 'prism-cli', 'dist', 'index.js');
  const isThere = await access(join(directory, program)).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    const staging = `${directory}.${String(process.pid)}`;
    await mkdir(staging, { recursive: true });
    try {
      for (const name of ['package.json', 'package-lock.json'])
        await copyFile(join(import.meta.dirname, name), join(staging, name));
      const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
      await promisify(execFile)('npm', args, { cwd: staging });
      await rename(staging, directory);
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  }
  return join(directory, program);
}

/** A server that validates requests against an OpenAPI document. */
export interface Validator {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Starts Prism with the document at `file`. Rejects with its output if it exits before it listens. */
export async function startPrism(program: string, file: string): Promise<Validator> {
  const port = await freePort();
  const child = spawn(process.execPath, [program, 'mock', '--port', String(port), '--errors', file], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // In production mode it would fork.
    env: { PATH: process.env['PATH'], NODE_ENV: 'development' },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output = `${output}${chunk.toString()}`.slice(-20_000);
    });
  const ended = once(child, 'exit');
  let isOver = false;
  child.once('exit', () => {
    isOver = true;
  });
  const close = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  const deadline = Date.now() + START_LIMIT_MS;
  while (!output.includes('Prism is listening')) {
    if (isOver || Date.now() > deadline) {
      await close();
      throw new Error(`Prism did not start: ${output.slice(-2_000)}`);
    }
    await delay(100);
  }
  return { url: `http://127.0.0.1:${String(port)}`, close };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
