import { createHash } from 'node:crypto';
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parse as parseYaml } from 'yaml';
import type { ReadDescription } from '../compile.ts';
import { isJson } from '../json.ts';
import type { Json } from '../json.ts';
import { readIfThere } from '../read-if-there.ts';
import type { ImportSource } from '../schema/import-source.ts';
import { extractMembers, failureOf } from './extract-members.ts';
import type { FetchArchive, FetchFailure } from './extract-members.ts';
import { fetchArchive } from './fetch-archive.ts';

/** The vendor descriptions in a cache folder. */
export interface DescriptionStore {
  /** Fetches the missing descriptions. Resolves to the packages that could not be fetched. */
  readonly fetchMissing: (
    sources: readonly ImportSource[],
    fetch?: FetchArchive,
  ) => Promise<readonly FetchFailure[]>;
  readonly has: (source: ImportSource) => Promise<boolean>;
  readonly read: ReadDescription;
}

/**
 * The vendor descriptions in `directory`. A description's file is named by the digest of its archive and its path in
 * there, so an existing file is always the right one, and is never fetched again.
 */
export function openDescriptionStore(directory: string): DescriptionStore {
  const fileOf = ({ integrity, file }: ImportSource): string =>
    join(directory, `${createHash('sha256').update(`${integrity} ${file}`).digest('hex')}.json`);

  const fetchPackage = async (sources: readonly ImportSource[], fetch: FetchArchive): Promise<void> => {
    const [pinned] = sources;
    if (pinned === undefined) return;
    const paths = new Set(sources.map(({ file }) => file));
    await extractMembers(
      { directory, pinned, fetch, isWanted: (path) => paths.has(path) },
      async (members, put) => {
        for (const source of sources) {
          const content = members.get(source.file);
          if (content === undefined) throw new Error(`it has no file ${source.file}`);
          await put(fileOf(source), asJson(content, source.file));
        }
      },
    );
  };

  return {
    async fetchMissing(sources, fetch = fetchArchive) {
      await mkdir(directory, { recursive: true });
      const missing: ImportSource[] = [];
      for (const source of sources) if (!(await exists(fileOf(source)))) missing.push(source);
      const packages = Map.groupBy(missing, ({ integrity }) => integrity);
      const failures = await Promise.all(
        [...packages.values()].map((ofPackage) =>
          fetchPackage(ofPackage, fetch).then(
            () => [],
            (error: unknown) => ofPackage.slice(0, 1).map((pinned) => failureOf(pinned, error)),
          ),
        ),
      );
      return failures.flat();
    },
    has: (source) => exists(fileOf(source)),
    async read(source) {
      const text = await readIfThere(fileOf(source));
      return text === undefined ? undefined : parsed(text, source.file);
    },
  };
}

/** Descriptions are stored as JSON, because parsing YAML in every compilation would take seconds. */
function asJson(content: Buffer, file: string): Buffer | string {
  if (!/\.ya?ml$/.test(file)) return content;
  const value: unknown = parseYaml(content.toString(), { maxAliasCount: -1 });
  return JSON.stringify(value ?? null);
}

function parsed(text: string, file: string): Json {
  const value: unknown = JSON.parse(text);
  if (!isJson(value)) throw new Error(`${file} is not JSON`);
  return value;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
