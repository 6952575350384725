import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { nextRelease, withNotes } from './changelog.ts';
import type { RawCommit } from './changelog.ts';
import { currentVersions, withVersion } from './versions.ts';

/**
 * `npm run release -- --dry-run` prints the next version, its changelog and the files that contain the version. Without `--dry-run` it
 * writes them, commits and tags, and prints the commands that publish. It never publishes.
 */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const CHANGELOG = 'CHANGELOG.md';
const PUBLISH = `Publish it:
  npm run build -w packages/sdk && npm publish packages/sdk/dist --access public
  npm run build -w packages/cli && npm publish packages/cli/dist --access public
  python3 -m build clients/python && python3 -m twine upload clients/python/dist/*
  git push --follow-tags
`;

const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });
const isDryRun = values['dry-run'];
const version = currentVersions(ROOT).get('package.json') ?? '';
const tag = lastTag();
const release = await nextRelease(
  commitsSince(tag),
  { version, isReleased: tag !== undefined },
  new Date().toISOString().slice(0, 10),
);
if (release === undefined) {
  console.log(`No commit since ${tag ?? 'the beginning'} changes the packages: there is nothing to release.`);
} else {
  const changelog = existsSync(join(ROOT, CHANGELOG)) ? readFileSync(join(ROOT, CHANGELOG), 'utf8') : '';
  const files = new Map([
    ...withVersion(ROOT, release.version),
    [CHANGELOG, withNotes(changelog, release.notes)],
  ]);
  console.log(`${version} → ${release.version}\n\n${release.notes}`);
  if (isDryRun) console.log(`Would write:\n${[...files.keys()].map((file) => `  ${file}\n`).join('')}`);
  else write(release.version, files);
  console.log(PUBLISH);
}

function write(released: string, files: ReadonlyMap<string, string>): void {
  if (git('status', '--porcelain') !== '') throw new Error('There are changes that are not committed.');
  for (const [file, text] of files) writeFileSync(join(ROOT, file), text);
  git('add', ...files.keys());
  git('commit', '--message', `chore(release): v${released}`);
  git('tag', '--annotate', `v${released}`, '--message', `v${released}`);
}

function lastTag(): string | undefined {
  return (
    git('tag', '--list', 'v*', '--merged', 'HEAD', '--sort', '-version:refname').split('\n', 1)[0] ||
    undefined
  );
}

function commitsSince(since: string | undefined): readonly RawCommit[] {
  const range = since === undefined ? 'HEAD' : `${since}..HEAD`;
  return git('log', '-z', '--no-merges', '--format=%H%n%B', range)
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => ({ hash: entry.slice(0, 40), message: entry.slice(41).trim() }));
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 28 });
}
