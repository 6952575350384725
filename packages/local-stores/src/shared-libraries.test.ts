import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkBinary, missingLibrariesText } from './shared-libraries.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

async function program(script: string, interpreter = '/bin/sh'): Promise<string> {
  const path = join(await temporaryFolder(), 'mongod');
  await writeFile(path, `#!${interpreter}\n${script}\n`, { mode: 0o755 });
  return path;
}

test('a binary that answers its version runs', async () => {
  const path = await program('echo "db version v7.0.1"');
  expect(await checkBinary(path)).toEqual({ kind: 'runs', versionText: 'db version v7.0.1\n' });
});

test('a missing shared library is named with the Debian package that has it', async () => {
  const path = await program(
    'echo "$0: error while loading shared libraries: libcurl.so.4: cannot open shared object file: No such file" >&2; exit 127',
  );
  const check = await checkBinary(path);
  expect(check).toEqual({ kind: 'missing-libraries', libraries: ['libcurl.so.4'], packages: ['libcurl4'] });
  if (check.kind !== 'missing-libraries') throw new Error('unreachable');
  expect(missingLibrariesText(path, check)).toContain('needs libcurl.so.4');
  expect(missingLibrariesText(path, check)).toContain('apt-get install libcurl4');
});

test('a binary for another C library is distinguished from a missing file', async () => {
  const check = await checkBinary(await program('', '/nonexistent/loader'));
  expect(check).toEqual({
    kind: 'unusable',
    reason: 'it needs glibc, which this system does not have',
  });
});

test('any other failure is reported with its own first line', async () => {
  const check = await checkBinary(
    await program('echo "version GLIBC_2.99 not found" >&2; echo more >&2; exit 1'),
  );
  expect(check).toEqual({ kind: 'unusable', reason: 'version GLIBC_2.99 not found' });
});

test('one that crashes or says nothing is unusable too', async () => {
  expect(await checkBinary(await program('kill -SEGV $$'))).toEqual({
    kind: 'unusable',
    reason: 'it crashes',
  });
  const mute = await checkBinary(await program('exit 1'));
  expect(mute).toEqual({ kind: 'unusable', reason: 'it fails without a word' });
});
