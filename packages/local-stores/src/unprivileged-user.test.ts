import { chmod, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from './testing/temporary-folder.ts';
import { firstReachable, createOpenFolder, parsePasswd, userInsteadOfRoot } from './unprivileged-user.ts';

/** A user id without any files on this machine. */
const STRANGER = { name: 'stranger', uid: 54_321, gid: 54_321 };

test('reads accounts from passwd lines', () => {
  const users = parsePasswd(
    'root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65533:nobody:/:/usr/sbin/nologin\n',
  );
  expect(users.get('nobody')).toEqual({ name: 'nobody', uid: 65_534, gid: 65_533 });
});

const isRoot = process.getuid?.() === 0;

test.runIf(isRoot)('root gets an account that is not root', async () => {
  expect((await userInsteadOfRoot())?.uid).toBeGreaterThan(0);
});

test.skipIf(isRoot)('anybody else stays who they are', async () => {
  expect(await userInsteadOfRoot()).toBeUndefined();
});

test('a path below a closed folder is passed over', async () => {
  const root = await temporaryFolder();
  await chmod(root, 0o755);
  const closed = join(root, 'closed');
  const open = join(root, 'open');
  await mkdir(closed, { mode: 0o700 });
  await mkdir(open, { mode: 0o711 });
  const paths = [join(closed, 'a', 'data'), join(open, 'a', 'data')];
  expect(await firstReachable(paths, STRANGER)).toBe(paths[1]);
  expect(await firstReachable(paths, undefined)).toBe(paths[0]);
  expect(await firstReachable([join(closed, 'data')], STRANGER)).toBeUndefined();
});

test('a folder made open can be entered by everyone, whatever the umask', async () => {
  const root = await temporaryFolder();
  const before = process.umask(0o077);
  onTestFinished(() => void process.umask(before));
  await createOpenFolder(join(root, 'a', 'b'));
  for (const folder of ['a', 'a/b']) expect((await stat(join(root, folder))).mode & 0o777).toBe(0o755);
  // Existing folders keep their permissions.
  expect((await stat(root)).mode & 0o777).toBe(0o700);
});
