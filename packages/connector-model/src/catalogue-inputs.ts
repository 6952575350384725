import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere } from './read-if-there.ts';

/** The vendor descriptions that a compilation uses: none, or all pinned ones except those that are missing. */
export type DescriptionsUsed =
  | 'none'
  | {
      /** Slugs of the applications whose description cannot be fetched. */
      readonly missing: readonly string[];
      readonly hasIcons: boolean;
    };

/** All descriptions are present. */
export const ALL_DESCRIPTIONS: DescriptionsUsed = { missing: [], hasIcons: true };

/**
 * A digest of everything that determines a compiled catalogue: the manifests, the compile step, the version of
 * Node.js, and the vendor descriptions.
 */
export async function digestOfInputs(
  directories: readonly string[],
  descriptions: DescriptionsUsed,
): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([process.version, descriptions]));
  const sources = await readdir(import.meta.dirname, { recursive: true });
  const code = sources.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts')).toSorted();
  for (const name of code) hash.update(await entry(import.meta.dirname, name));
  for (const directory of directories) {
    hash.update(JSON.stringify(['directory']));
    for (const slug of (await readdir(directory)).toSorted())
      hash.update(await entry(directory, join(slug, 'connector.yaml')));
  }
  return hash.digest('hex');
}

/**
 * A file's name and content with their lengths, so that different lists of files never give the same bytes. Nothing
 * if the file does not exist.
 */
async function entry(directory: string, name: string): Promise<string> {
  const text = await readIfThere(join(directory, name));
  return text === undefined ? '' : JSON.stringify([name, text]);
}
