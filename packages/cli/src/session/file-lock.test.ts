import { spawnSync } from 'node:child_process';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@fairlead/local-stores/testing/temporary-folder';
import { expect, it } from 'vitest';
import { withFileLock } from './file-lock.ts';

const never = new AbortController().signal;

it('lets one in at a time, and leaves nothing behind', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'lock');
  let inside = 0;
  let most = 0;
  const enter = (): Promise<void> =>
    withFileLock(path, never, async () => {
      inside += 1;
      most = Math.max(most, inside);
      await readFile(path);
      inside -= 1;
    });
  await Promise.all([enter(), enter(), enter(), enter()]);
  expect(most).toBe(1);
  expect(await readdir(folder)).toEqual([]);
});

it('is released if the guarded work fails', async () => {
  const path = join(await temporaryFolder(), 'lock');
  await expect(withFileLock(path, never, () => Promise.reject(new Error('inside')))).rejects.toThrow(
    'inside',
  );
  await expect(withFileLock(path, never, () => Promise.resolve('again'))).resolves.toBe('again');
});

it('a lock whose process is gone is taken over', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'lock');
  const { pid } = spawnSync(process.execPath, ['--version']);
  await writeFile(path, `${pid} left`);
  await expect(withFileLock(path, never, () => Promise.resolve('mine'))).resolves.toBe('mine');
  expect(await readdir(folder)).toEqual([]);
});

it('so is one that is a minute old, whoever holds it', async () => {
  const path = join(await temporaryFolder(), 'lock');
  await writeFile(path, `${process.pid} other`);
  const old = new Date(Date.now() - 61_000);
  await utimes(path, old, old);
  await expect(withFileLock(path, never, () => Promise.resolve('mine'))).resolves.toBe('mine');
});

it('a live one is waited for until the caller gives up', async () => {
  const path = join(await temporaryFolder(), 'lock');
  await writeFile(path, `${process.pid} other`);
  const waiting = withFileLock(path, AbortSignal.timeout(100), () => Promise.resolve('mine'));
  await expect(waiting).rejects.toThrow('aborted');
  expect(await readFile(path, 'utf8')).toBe(`${process.pid} other`);
});
