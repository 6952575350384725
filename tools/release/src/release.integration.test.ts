import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const PERSON = { NAME: 'Ada', EMAIL: 'ada@example.com' };
const env = {
  PATH: process.env['PATH'],
  ...Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((role) =>
      Object.entries(PERSON).map(([member, value]) => [`GIT_${role}_${member}`, value]),
    ),
  ),
};

it('a dry run changes nothing; a release writes version and changelog, commits and tags', async ({
  skip,
}) => {
  skip(!existsSync(join(root, '.git')), 'this is no clone: there are no commits to release');
  const clone = await mkdtemp(join(tmpdir(), 'fairlead-release-'));
  onTestFinished(() => rm(clone, { recursive: true }));
  const git = async (...args: readonly string[]): Promise<string> =>
    (await run('git', args, { cwd: clone, env })).stdout;
  const release = async (...args: readonly string[]): Promise<string> =>
    (await run(process.execPath, ['tools/release/src/main.ts', ...args], { cwd: clone, env })).stdout;
  await git('clone', '--quiet', '--depth', '1', `file://${root}`, '.');
  await symlink(join(root, 'node_modules'), join(clone, 'node_modules'));
  await appendFile(join(clone, '.git/info/exclude'), 'node_modules\n');
  await git('tag', 'v0.1.0');
  await git('commit', '--quiet', '--allow-empty', '--message', 'feat(sdk): clients can sing');

  const shown = await release('--dry-run');
  for (const part of ['→ 0.1.1', 'clients can sing', 'CHANGELOG.md', 'clients/python/pyproject.toml'])
    expect(shown).toContain(part);
  expect([await git('status', '--porcelain'), await git('tag')]).toEqual(['', 'v0.1.0\n']);

  await release();
  expect([await git('status', '--porcelain'), await git('tag')]).toEqual(['', 'v0.1.0\nv0.1.1\n']);
  expect(await git('log', '-1', '--format=%s')).toBe('chore(release): v0.1.1\n');
  expect(await readFile(join(clone, 'CHANGELOG.md'), 'utf8')).toContain('clients can sing');
  expect(await readFile(join(clone, 'packages/sdk/package.json'), 'utf8')).toContain('"version": "0.1.1"');
  expect(await release()).toContain('there is nothing to release');
});
