import { writeChangelogString } from 'conventional-changelog-writer';
import type { Options } from 'conventional-changelog-writer';
import createPreset from 'conventional-changelog-conventionalcommits';
import { CommitParser } from 'conventional-commits-parser';
import type { Commit, ParserOptions } from 'conventional-commits-parser';

/** A commit of the history. */
export interface RawCommit {
  readonly hash: string;
  readonly message: string;
}

/** A version, and its entry in CHANGELOG.md. */
export interface Release {
  readonly version: string;
  readonly notes: string;
}

/** The last release, if there was one, and the version that the packages have. */
export interface Before {
  readonly version: string;
  readonly isReleased: boolean;
}

/** The parts of the preset that are used; its own types leave them out. */
interface Preset {
  readonly parser: ParserOptions;
  readonly writer: Options<Commit>;
  readonly whatBump: (commits: readonly Commit[]) => { readonly level: number } | null;
}

/** The headline of CHANGELOG.md. */
const TITLE = '# Changelog\n';

/**
 * The release of these commits, newest first, on `date`; undefined if none of them changes what users get. The first release has
 * the version that the packages have. Below 1.0 a breaking change raises the minor version, everything else the patch.
 */
export async function nextRelease(
  commits: readonly RawCommit[],
  before: Before,
  date: string,
): Promise<Release | undefined> {
  const preset = createPreset({ preMajor: before.version.startsWith('0.') }) as Preset;
  const parser = new CommitParser(preset.parser);
  const parsed = commits.map(({ hash, message }): Commit => Object.assign(parser.parse(message), { hash }));
  const bump = preset.whatBump(parsed);
  if (bump === null) return undefined;
  const version = before.isReleased ? raised(before.version, bump.level) : before.version;
  const context = { version, date, linkReferences: false };
  return { version, notes: await writeChangelogString<Commit>(parsed, context, preset.writer) };
}

/** The text of CHANGELOG.md with the notes of a release on top. */
export function withNotes(changelog: string, notes: string): string {
  const former = changelog.startsWith(TITLE) ? changelog.slice(TITLE.length).trim() : changelog.trim();
  return `${[TITLE.trim(), notes.trim(), former].filter((part) => part !== '').join('\n\n')}\n`;
}

/** Level 0 raises the first number of the version, 1 the second, 2 the third. */
function raised(version: string, level: number): string {
  return version
    .split('.')
    .map((part, index) => (index < level ? part : index === level ? String(Number(part) + 1) : '0'))
    .join('.');
}
