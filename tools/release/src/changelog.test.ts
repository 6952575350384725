import { expect, it } from 'vitest';
import { nextRelease, withNotes } from './changelog.ts';
import type { RawCommit } from './changelog.ts';

const DATE = '2026-11-28';
const commits = (...messages: string[]): RawCommit[] =>
  messages.map((message, index) => ({ hash: String(index).repeat(40), message }));

it.each([
  ['0.1.4', 'fix(sdk): a fix', '0.1.5'],
  ['0.1.4', 'feat(cli): a feature', '0.1.5'],
  ['0.1.4', 'feat(sdk)!: another name', '0.2.0'],
  ['1.4.2', 'fix(sdk): a fix', '1.4.3'],
  ['1.4.2', 'feat(cli): a feature', '1.5.0'],
  ['1.4.2', 'fix(sdk): a fix\n\nBREAKING CHANGE: the old name is gone', '2.0.0'],
])('%s and "%s" give %s', async (version, message, expected) => {
  const release = await nextRelease(commits(message), { version, isReleased: true }, DATE);
  expect(release?.version).toBe(expected);
});

it('the first release has the version that the packages have', async () => {
  const release = await nextRelease(commits('feat: all'), { version: '0.1.0', isReleased: false }, DATE);
  expect(release?.version).toBe('0.1.0');
});

it('commits that change nothing for users are no release', async () => {
  const given = commits('docs: a guide', 'test(cli): a test');
  expect(await nextRelease(given, { version: '0.1.0', isReleased: true }, DATE)).toBeUndefined();
});

it('the notes name features, fixes and breaking changes with their packages, and link nowhere', async () => {
  const given = commits(
    'feat(cli): tools run',
    'fix(sdk): digits',
    'docs: a guide',
    'feat(tools)!: another name',
  );
  const release = await nextRelease(given, { version: '0.1.0', isReleased: true }, DATE);
  expect(release?.notes).toContain('## 0.2.0 (2026-11-28)');
  expect(release?.notes).toMatch(/BREAKING CHANGES[^]*\*\*tools:\*\* another name/);
  expect(release?.notes).toMatch(/### Features\n\n\* \*\*cli:\*\* tools run 0000000\n/);
  expect(release?.notes).toMatch(/### Bug Fixes\n\n\* \*\*sdk:\*\* digits 1111111\n/);
  expect(release?.notes).not.toMatch(/a guide|https?:/);
});

it('the changelog begins with the latest release', () => {
  const first = withNotes('', '## 0.1.0\n\n* a\n\n');
  expect(first).toBe('# Changelog\n\n## 0.1.0\n\n* a\n');
  expect(withNotes(first, '## 0.2.0\n')).toBe('# Changelog\n\n## 0.2.0\n\n## 0.1.0\n\n* a\n');
});
