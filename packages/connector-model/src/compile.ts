import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compileManifest } from './compile-manifest.ts';
import type { CompileProblem } from './compile-manifest.ts';
import type { Connector } from './model.ts';

const MANIFEST_FILE = 'connector.yaml';

/** Every connector of some directories, ordered by slug in each, or all problems of their manifests. */
export type CompileResult =
  | { readonly ok: true; readonly connectors: readonly Connector[] }
  | { readonly ok: false; readonly problems: readonly CompileProblem[] };

/**
 * Compiles every `<directory>/<slug>/connector.yaml`. All or nothing: one invalid manifest fails the whole, and the
 * problems of all are listed. If several directories have a slug, the manifest of the last one is taken. Rejects only if a
 * directory cannot be read.
 */
export async function compileConnectors(...directories: readonly string[]): Promise<CompileResult> {
  const bySlug = new Map<string, string>();
  for (const directory of directories) {
    const entries = await readdir(directory, { withFileTypes: true });
    const slugs = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
    for (const slug of slugs.toSorted()) bySlug.set(slug, directory);
  }
  const results = await Promise.all([...bySlug].map(([slug, directory]) => compileOne(directory, slug)));
  const problems = results.flatMap((result) => (result === undefined || result.ok ? [] : result.problems));
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    connectors: results.flatMap((result) => (result?.ok === true ? [result.connector] : [])),
  };
}

/** `file:line: path: message`, which editors turn into a link. */
export function formatProblem({ file, line, path, message }: CompileProblem): string {
  return `${file}:${String(line)}: ${path === '' ? '' : `${path}: `}${message}`;
}

async function compileOne(
  directory: string,
  slug: string,
): Promise<ReturnType<typeof compileManifest> | undefined> {
  const file = join(directory, slug, MANIFEST_FILE);
  try {
    return compileManifest(await readFile(file, 'utf8'), { directory: slug, file });
  } catch (error) {
    // A directory without a manifest is not a connector.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
