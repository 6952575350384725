import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@fairlead/local-stores/testing/temporary-folder';
import { expect, onTestFinished, test } from 'vitest';
import { InstanceInUseError, claimInstance } from './instance.ts';
import { identify } from './process-identity.ts';
import type { ProcessIdentity } from './process-identity.ts';

const GONE: ProcessIdentity = { pid: 1, startedAt: 'before the last boot' };

async function startSleeper(): Promise<{ identity: ProcessIdentity; ended: Promise<unknown> }> {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  const identity = await identify(child.pid ?? 0);
  if (identity === undefined) throw new Error('the child is not there');
  return { identity, ended };
}

async function leave(record: { launcher: ProcessIdentity; children: ProcessIdentity[] }): Promise<string> {
  const file = join(await temporaryFolder(), 'instance.json');
  await writeFile(file, JSON.stringify(record));
  return file;
}

test('one launcher at a time claims a folder, which is free again after its release', async () => {
  const file = join(await temporaryFolder(), 'instance.json');
  const first = await claimInstance(file, () => undefined);
  await expect(claimInstance(file, () => undefined)).rejects.toThrow(InstanceInUseError);
  await expect(claimInstance(file, () => undefined)).rejects.toThrow(`process ${String(process.pid)}`);
  await first.release();
  await (await claimInstance(file, () => undefined)).release();
  await expect(access(file)).rejects.toThrow('ENOENT');
});

test('processes that a killed launcher left are ended and reported in one line', async () => {
  const orphan = await startSleeper();
  const file = await leave({ launcher: GONE, children: [orphan.identity] });
  const lines: string[] = [];
  const instance = await claimInstance(file, (line) => lines.push(line));
  onTestFinished(() => instance.release());
  await expect(orphan.ended).resolves.toEqual([null, 'SIGTERM']);
  expect(lines).toEqual(['Ending 1 processes of an earlier instance that was killed']);
});

test('a process that only has the id of such a child is left alone', async () => {
  const stranger = await startSleeper();
  const file = await leave({ launcher: GONE, children: [{ ...stranger.identity, startedAt: 'long ago' }] });
  const instance = await claimInstance(file, () => undefined);
  onTestFinished(() => instance.release());
  expect(await identify(stranger.identity.pid)).toEqual(stranger.identity);
});

test('a file without a record counts as absent', async () => {
  const file = join(await temporaryFolder(), 'instance.json');
  await writeFile(file, '{"launcher":');
  const instance = await claimInstance(file, () => undefined);
  onTestFinished(() => instance.release());
  const launcher = await identify(process.pid);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ launcher, children: [] });
});

test('it records the living children', async () => {
  const file = join(await temporaryFolder(), 'instance.json');
  const instance = await claimInstance(file, () => undefined);
  onTestFinished(() => instance.release());
  const [dead, alive] = [await startSleeper(), await startSleeper()];
  await Promise.all([instance.track(dead.identity.pid), instance.track(alive.identity.pid)]);
  process.kill(dead.identity.pid, 'SIGKILL');
  await dead.ended;
  const next = await startSleeper();
  await instance.track(next.identity.pid);
  const record: unknown = JSON.parse(await readFile(file, 'utf8'));
  expect(record).toMatchObject({ children: [alive.identity, next.identity] });
});
