import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { Closers } from './lifecycle.ts';
import { captureLog } from '../testing/log-lines.ts';

it('the last opened closes first, and a failure keeps nothing open', async () => {
  const { log, lines } = captureLog();
  const closed: string[] = [];
  const closers = new Closers(log);
  closers.push('store', () => void closed.push('store'));
  closers.push('client', () => Promise.reject(new Error('stuck')));
  closers.push('server', async () => void closed.push('server'));
  await closers.close();
  await closers.close();
  expect(closed).toEqual(['server', 'store']);
  expect(lines()).toMatchObject([{ level: 'error', resource: 'client', err: { message: 'stuck' } }]);
});

const children: ReturnType<typeof spawn>[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Runs `runUntilSignal('demo', build)` in a process of its own. */
function run(build: string) {
  const file = join(mkdtempSync(join(tmpdir(), 'lifecycle-')), 'main.ts');
  const url = (name: string): string => new URL(name, import.meta.url).href;
  writeFileSync(
    file,
    `import { runUntilSignal } from '${url('./lifecycle.ts')}';
     import { ConfigError } from '${url('../config.ts')}';
     setInterval(() => {}, 60_000);
     await runUntilSignal('demo', ${build.replaceAll('ConfigError', '(ConfigError)')});`,
  );
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  return {
    child,
    stdout: child.stdout,
    stderr: text(child.stderr),
    exit: once(child, 'exit').then(([code]: unknown[]) => code),
  };
}

it('an invalid configuration prints every problem and exits 1', async () => {
  const { stderr, exit } = run(
    `async () => { throw new ConfigError('PORT: expected a number\\nHOST: required'); }`,
  );
  expect(await exit).toBe(1);
  expect(await stderr).toBe(
    'demo: the configuration is not valid\n  PORT: expected a number\n  HOST: required\n',
  );
});

it('a boot that fails prints one line without a stack and exits 1', async () => {
  const { stderr, exit } = run(`async () => { throw new Error('Cannot listen on 127.0.0.1:80: taken'); }`);
  expect(await exit).toBe(1);
  expect(await stderr).toBe('demo: could not start: Cannot listen on 127.0.0.1:80: taken\n');
});

it.each(['SIGTERM', 'SIGINT'] as const)('%s closes and exits 0', async (signal) => {
  const { child, stdout, exit } = run(
    `async () => { console.log('ready'); return { close: async () => { console.log('closed'); } }; }`,
  );
  await once(stdout, 'data');
  child.kill(signal);
  expect(await text(stdout)).toBe('closed\n');
  expect(await exit).toBe(0);
});

it('a signal that comes while the service still waits for something ends it at once', async () => {
  const { child, stdout, exit } = run(`() => { console.log('booting'); return new Promise(() => {}); }`);
  await once(stdout, 'data');
  child.kill('SIGTERM');
  expect(await exit).toBe(0);
});

it('a close that fails exits 1 and prints the reason', async () => {
  const { child, stdout, stderr, exit } = run(
    `async () => { console.log('ready'); return { close: async () => { throw new Error('stuck'); } }; }`,
  );
  await once(stdout, 'data');
  child.kill('SIGTERM');
  expect(await exit).toBe(1);
  expect(await stderr).toBe('demo: did not close cleanly: stuck\n');
});

it('a second signal does not wait', async () => {
  const { child, stdout, exit } = run(
    `async () => { console.log('ready'); return { close: () => { console.log('closing'); return new Promise(() => {}); } }; }`,
  );
  await once(stdout, 'data');
  child.kill('SIGTERM');
  await once(stdout, 'data');
  child.kill('SIGTERM');
  expect(await exit).toBe(1);
});

it.each([
  ['uncaughtException', `setTimeout(() => { throw new Error('defect'); })`],
  ['unhandledRejection', `void Promise.reject(new Error('defect'))`],
])('an error that nothing catches (%s) is logged once, closes, and exits 1', async (origin, defect) => {
  const { stdout, stderr, exit } = run(
    `async () => { ${defect}; return { close: async () => { console.log('closed'); } }; }`,
  );
  const lines = (await text(stdout)).trimEnd().split('\n');
  expect(lines.slice(1)).toEqual(['closed']);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'fatal',
    service: 'demo',
    origin,
    msg: 'an uncaught error ends the process',
    err: {
      type: 'Error',
      message: expect.stringContaining('defect') as string,
      stack: expect.any(String) as string,
    },
  });
  expect(await exit).toBe(1);
  expect(await stderr).toBe('');
});

it('such an error while the service still boots ends it at once, with exit code 1', async () => {
  const { stdout, exit } = run(
    `() => { setTimeout(() => { throw new Error('defect'); }); return new Promise(() => {}); }`,
  );
  expect(JSON.parse(await text(stdout))).toMatchObject({ level: 'fatal', origin: 'uncaughtException' });
  expect(await exit).toBe(1);
});

it('one that comes while the service closes does not cut the close short, and exits 1', async () => {
  const { child, stdout, exit } = run(
    `async () => {
       console.log('ready');
       return { close: async () => {
         setTimeout(() => { throw new Error('defect'); });
         await new Promise((resolve) => process.once('uncaughtException', resolve));
         console.log('closed');
       } };
     }`,
  );
  await once(stdout, 'data');
  child.kill('SIGTERM');
  const lines = (await text(stdout)).trimEnd().split('\n');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'fatal', err: { message: 'defect' } });
  expect(lines.slice(1)).toEqual(['closed']);
  expect(await exit).toBe(1);
});

it('one error after the other fills no log', async () => {
  const { stdout, exit } = run(
    `async () => {
       setInterval(() => { throw new Error('defect'); });
       let count = 0;
       return { close: () => new Promise((resolve) => {
         process.on('uncaughtException', () => { count += 1; if (count === 20) resolve(); });
       }) };
     }`,
  );
  expect((await text(stdout)).trimEnd().split('\n')).toHaveLength(10);
  expect(await exit).toBe(1);
});
