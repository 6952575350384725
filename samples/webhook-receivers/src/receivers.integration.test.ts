import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findPython, pythonEnvironment } from '@fairlead/client-generator/python-environment';
import { newSigningSecret } from '@fairlead/webhook-signature/signing-secret';
import { signatureHeaders } from '@fairlead/webhook-signature/signature-headers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const python = findPython();
const hasGo = await run('go', ['version']).then(
  () => true,
  () => false,
);

const secret = newSigningSecret();
const bodyOf = (id: string, payload: unknown = {}): Buffer =>
  Buffer.from(JSON.stringify({ id, type: 'schedule', payload }));

interface Receiver {
  /**
   * Posts a signed delivery and returns the response's status. `with` signs it with another secret; `sent` replaces the body after signing.
   */
  post(o: { id: string; body?: Buffer; sentAt?: Date; with?: typeof secret; sent?: Buffer }): Promise<number>;
  /** The next line that the receiver prints. */
  line(): Promise<string>;
  stop(): Promise<void>;
}

async function start(command: string, args: readonly string[], more: NodeJS.ProcessEnv): Promise<Receiver> {
  const env = { PATH: process.env['PATH'], PORT: '0', WEBHOOK_SECRET: secret.reveal(), ...more };
  const child: ChildProcess = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  if (child.stdout === null) throw new Error('no output');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async (): Promise<string> => String((await lines.next()).value);
  const url = (await line()).replace('Listening on ', '');
  return {
    line,
    async post({ id, body = bodyOf(id), sentAt = new Date(), with: signer = secret, sent = body }) {
      const headers = { ...signatureHeaders({ secret: signer, eventId: id, sentAt, body }) };
      const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(sent) });
      await response.body?.cancel();
      return response.status;
    },
    async stop() {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
}

async function startPython(): Promise<Receiver> {
  if (python === undefined) throw new Error('no Python');
  const client = here('../../../clients/python');
  const project = await readFile(join(client, 'pyproject.toml'), 'utf8');
  const interpreter = await pythonEnvironment(python, { key: `client ${project}`, install: [client] });
  const env = { PYTHONPATH: join(client, 'src'), PYTHONDONTWRITEBYTECODE: '1' };
  return start(interpreter, [here('receiver.py')], env);
}

async function startGo(): Promise<Receiver> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-receiver-'));
  try {
    const program = join(folder, 'receiver');
    await run('go', ['build', '-o', program, here('receiver.go')]);
    return await start(program, [], {});
  } finally {
    await rm(folder, { recursive: true });
  }
}

const receivers = [
  {
    name: 'receiver.ts',
    isInstalled: true,
    starter: () => start(process.execPath, [here('receiver.ts')], {}),
  },
  { name: 'receiver.py', isInstalled: python !== undefined, starter: startPython },
  { name: 'receiver.go', isInstalled: hasGo, starter: startGo },
];

it('says which languages the machine lacks', () => {
  const missing = receivers.filter(({ isInstalled }) => !isInstalled).map(({ name }) => name);
  if (missing.length > 0)
    console.warn(`Not tested, because its language is not installed: ${missing.join(', ')}`);
  expect(missing).not.toContain('receiver.ts');
});

describe.each(receivers.filter(({ isInstalled }) => isInstalled))('$name', ({ starter }) => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await starter();
  });
  afterAll(() => receiver.stop());

  it('takes an event once, however often it is delivered', async () => {
    expect(await receiver.post({ id: 'te_1' })).toBe(204);
    expect(await receiver.post({ id: 'te_1', sentAt: new Date(Date.now() - 60_000) })).toBe(204);
    expect(await receiver.post({ id: 'te_2', body: bodyOf('te_2', { name: 'Ærø ✓' }) })).toBe(204);
    expect([await receiver.line(), await receiver.line()]).toEqual(['te_1 schedule', 'te_2 schedule']);
  });

  it('takes the largest payload, even if all of it is escaped', async () => {
    const largest = bodyOf('te_3', '"'.repeat(262_144));
    expect(await receiver.post({ id: 'te_3', body: largest })).toBe(204);
    expect(await receiver.line()).toBe('te_3 schedule');
  });

  it.each([
    ['a changed body', { sent: bodyOf('te_5') }],
    ['another secret', { with: newSigningSecret() }],
    ['a signature of six minutes ago', { sentAt: new Date(Date.now() - 360_000) }],
  ])('refuses %s', async (__, change) => {
    expect(await receiver.post({ id: 'te_4', ...change })).toBe(401);
  });

  it('refuses a body that is longer than any event', async () => {
    expect(await receiver.post({ id: 'te_6', body: bodyOf('te_6', 'a'.repeat(1_100_000)) })).toBe(413);
  });
});
