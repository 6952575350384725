import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readMembers } from './archive-members.ts';
import type { PinnedPackage } from './fetch-archive.ts';

/** Fetches a package's archive into an empty folder; resolves to the archive's path. */
export type FetchArchive = (pinned: PinnedPackage, directory: string) => Promise<string>;

/** A package that could not be fetched. */
export interface FetchFailure {
  readonly package: string;
  readonly version: string;
  readonly reason: string;
}

/** One line about a package that could not be fetched, and the reason. */
export function failureOf(
  { package: name, version }: Pick<PinnedPackage, 'package' | 'version'>,
  error: unknown,
): FetchFailure {
  return { package: name, version, reason: error instanceof Error ? error.message : String(error) };
}

/**
 * Fetches a package, reads some of its files and passes them to `keep`, whose `put` writes a file atomically. The
 * archive is deleted afterwards. `directory` exists; `fetch` gets a temporary folder in it.
 */
export async function extractMembers(
  o: {
    readonly directory: string;
    readonly pinned: PinnedPackage;
    readonly fetch: FetchArchive;
    readonly isWanted: (path: string) => boolean;
  },
  keep: (
    members: ReadonlyMap<string, Buffer>,
    put: (file: string, content: Buffer | string) => Promise<void>,
  ) => Promise<void>,
): Promise<void> {
  const staging = await mkdtemp(join(o.directory, 'fetching-'));
  try {
    const archive = await o.fetch(o.pinned, staging);
    await keep(await readMembers(archive, o.pinned.registry, o.isWanted), async (file, content) => {
      const staged = join(staging, 'staged');
      await writeFile(staged, content);
      await rename(staged, file);
    });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}
