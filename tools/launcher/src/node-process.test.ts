import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, isPortFree, waitForPort } from '@fairlead/local-stores/ports';
import { temporaryFolder } from '@fairlead/local-stores/testing/temporary-folder';
import { expect, onTestFinished, test } from 'vitest';
import { childEnvironment, runTask, startService } from './node-process.ts';
import type { NodeProgram } from './node-process.ts';

const never = new AbortController().signal;

async function program(source: string, env: NodeProgram['env'] = {}): Promise<NodeProgram> {
  const folder = await temporaryFolder();
  const script = join(folder, 'program.ts');
  await writeFile(script, source);
  return { name: 'program', args: [script], env, cwd: folder, logFile: join(folder, 'program.log') };
}

async function server(): Promise<{ program: NodeProgram; port: number }> {
  const port = await freePort();
  const source = `import { createServer } from 'node:net'; createServer().listen(${String(port)}, '127.0.0.1');`;
  return { program: await program(source), port };
}

test('a service is started once it is ready', async () => {
  const { program: service, port } = await server();
  const running = await startService(service, {
    isRestart: false,
    signal: never,
    ready: (signal) => waitForPort(port, signal),
  });
  onTestFinished(() => running.stop().then(() => undefined));
  expect(await isPortFree(port)).toBe(false);
});

test('one that ends before it is ready is reported with its exit reason and its log', async () => {
  const service = await program('console.error("settings are missing"); process.exit(1);');
  const starting = startService(service, {
    isRestart: false,
    signal: never,
    ready: () => new Promise(() => undefined),
  });
  await expect(starting).rejects.toThrow(
    `program ended (code 1): settings are missing; log: ${service.logFile}`,
  );
});

test('an aborted start leaves no process', async () => {
  const { program: service, port } = await server();
  const controller = new AbortController();
  const ready = async (signal: AbortSignal): Promise<void> => {
    await waitForPort(port, signal);
    controller.abort(new Error('not wanted'));
    signal.throwIfAborted();
  };
  const starting = startService(service, { isRestart: false, signal: controller.signal, ready });
  await expect(starting).rejects.toThrow('not wanted');
  expect(await isPortFree(port)).toBe(true);
});

test('a failed task is reported with its exit reason', async () => {
  await expect(runTask(await program('process.exit(0);'), never)).resolves.toBeUndefined();
  const failing = await program('throw new Error("nothing to seed");');
  await expect(runTask(failing, never)).rejects.toThrow('program ended (code 1): Error: nothing to seed');
});

test('an aborted task is ended', async () => {
  const controller = new AbortController();
  const running = runTask(await program('setInterval(() => {}, 1000);'), controller.signal);
  controller.abort(new Error('not wanted'));
  await expect(running).rejects.toThrow('not wanted');
});

test('children inherit the machine’s settings, never npm’s or NODE_OPTIONS', () => {
  const env = childEnvironment(
    { PATH: '/bin', LOG_LEVEL: 'debug', NODE_OPTIONS: '--inspect', npm_config_x: '1', PORT: '80' },
    '/cache',
  );
  expect(env).toMatchObject({ PATH: '/bin', LOG_LEVEL: 'debug', NODE_COMPILE_CACHE: '/cache' });
  for (const name of ['NODE_OPTIONS', 'npm_config_x', 'PORT']) expect(env).not.toHaveProperty(name);
});
