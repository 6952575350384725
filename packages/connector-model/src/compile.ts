import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { compileRead, readManifest } from './compile-manifest.ts';
import type { CompileProblem } from './compile-manifest.ts';
import type { Connector } from './model.ts';
import type { Json } from './json.ts';
import { readIfThere } from './read-if-there.ts';
import type { ImportSource } from './schema/import-source.ts';

const MANIFEST_FILE = 'connector.yaml';

/** All connectors of some directories, ordered by slug within each directory, or all problems of their manifests. */
export type CompileResult =
  | {
      readonly ok: true;
      readonly connectors: readonly Connector[];
      /** Slugs of omitted applications: vendor applications, or only those whose description is missing. */
      readonly left: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly CompileProblem[] };

/** Reads the description that a source names; undefined if it is missing. */
export type ReadDescription = (source: ImportSource) => Promise<Json | undefined>;

/**
 * Compiles every `<directory>/<slug>/connector.yaml` without `source` and `hosts`. One invalid manifest fails the
 * whole compilation, which lists the problems of all manifests. If a slug is in several directories, the last
 * directory wins. Rejects only if a directory cannot be read.
 */
export function compileConnectors(...directories: readonly string[]): Promise<CompileResult> {
  return compileAll(directories);
}

/** Options for compiling a whole catalogue. */
export interface CatalogueOptions extends Pick<Parameters<typeof compileRead>[1], 'icons' | 'gate'> {
  /** The slugs to compile; empty: all. */
  readonly only?: readonly string[];
}

/**
 * Compiles like compileConnectors, and includes applications with `hosts`, and those whose description
 * `readDescription` returns.
 */
export function compileCatalogue(
  directories: readonly string[],
  readDescription: ReadDescription,
  options: CatalogueOptions = {},
): Promise<CompileResult> {
  return compileAll(directories, readDescription, options);
}

async function compileAll(
  directories: readonly string[],
  readDescription?: ReadDescription,
  { only = [], ...options }: CatalogueOptions = {},
): Promise<CompileResult> {
  const all = await listManifests(directories);
  const manifests = only.length === 0 ? all : all.filter(({ slug }) => only.includes(slug));
  const results = await Promise.all(manifests.map((each) => compileOne(each, readDescription, options)));
  const problems = results.flatMap((result) => ('problems' in result ? result.problems : []));
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    connectors: results.flatMap((result) => ('connector' in result ? [result.connector] : [])),
    left: results.flatMap((result) => ('left' in result ? [result.left] : [])),
  };
}

export interface ApplicationSource extends ImportSource {
  readonly slug: string;
}

/** The sources in the manifests of some directories; invalid manifests are skipped. */
export async function sourcesOf(directories: readonly string[]): Promise<readonly ApplicationSource[]> {
  const manifests = await listManifests(directories);
  return manifests.flatMap(({ slug, file, text }) => {
    const read = readManifest(text, file);
    return read.ok && read.manifest.source !== undefined ? [{ ...read.manifest.source, slug }] : [];
  });
}

/** Formats a problem as `file:line: path: message`, which editors turn into a link. */
export function formatProblem({ file, line, path, message }: CompileProblem): string {
  return `${file}:${String(line)}: ${path === '' ? '' : `${path}: `}${message}`;
}

interface ManifestFile {
  readonly slug: string;
  readonly file: string;
  readonly text: string;
}

async function listManifests(directories: readonly string[]): Promise<readonly ManifestFile[]> {
  const bySlug = new Map<string, string>();
  for (const directory of directories) {
    const entries = await readdir(directory, { withFileTypes: true });
    const slugs = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
    for (const slug of slugs.toSorted()) bySlug.set(slug, directory);
  }
  const files = await Promise.all([...bySlug].map(([slug, directory]) => readOne(directory, slug)));
  return files.filter((file) => file !== undefined);
}

async function readOne(directory: string, slug: string): Promise<ManifestFile | undefined> {
  const file = join(directory, slug, MANIFEST_FILE);
  const text = await readIfThere(file);
  // A directory without a manifest is not a connector.
  return text === undefined ? undefined : { slug, file, text };
}

type OneResult =
  | { readonly connector: Connector }
  | { readonly left: string }
  | { readonly problems: readonly CompileProblem[] };

async function compileOne(
  { slug, file, text }: ManifestFile,
  readDescription: ReadDescription | undefined,
  options: Omit<CatalogueOptions, 'only'>,
): Promise<OneResult> {
  const read = readManifest(text, file);
  if (!read.ok) return read;
  const { source, hosts } = read.manifest;
  if (hosts !== undefined && readDescription === undefined) return { left: slug };
  const description = source === undefined ? undefined : await readDescription?.(source);
  if (source !== undefined && description === undefined) return { left: slug };
  const result = compileRead(read, {
    ...options,
    directory: slug,
    ...(description === undefined ? {} : { description }),
  });
  return result.ok ? { connector: result.connector } : { problems: result.problems };
}
