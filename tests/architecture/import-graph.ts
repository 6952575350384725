import { globSync, readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { init, parse } from 'es-module-lexer';

/** The modules that each module loads, by paths relative to the root. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/**
 * Reads the modules of every workspace under `root`: what each loads from a workspace by import, re-export or `import()`
 * once its types are stripped, as Node runs it. Throws for a specifier that cannot be resolved.
 */
export function readImportGraph(root: string): Promise<ImportGraph> {
  return readGraph(root, loadedBy);
}

/** The same, including imports of types. */
export function readTypeGraph(root: string): Promise<ImportGraph> {
  return readGraph(root, namedBy);
}

async function readGraph(
  root: string,
  specifiersOf: (source: string, file: string) => readonly string[],
): Promise<ImportGraph> {
  await init;
  const files = sourceFiles(root);
  return new Map(
    files.map((file) => [
      file,
      specifiersOf(readFileSync(join(root, file), 'utf8'), file).flatMap((specifier) => {
        const path = resolved(specifier, join(root, file));
        return path === undefined ? [] : [relative(root, path)];
      }),
    ]),
  );
}

/** The TypeScript files of every workspace under `root`, relative to it. */
export function sourceFiles(root: string): readonly string[] {
  // npm has validated each package.json.
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly workspaces: readonly string[];
  };
  return workspaces
    .flatMap((workspace) =>
      globSync(`${workspace}/**/*.ts`, { cwd: root, exclude: ['**/node_modules/**', '**/*.d.ts'] }),
    )
    .toSorted();
}

/** The cycles of a graph: groups of modules that all load each other. */
export function findCircles(graph: ImportGraph): readonly (readonly string[])[] {
  // Tarjan's strongly connected components; a module that loads itself is a cycle too.
  const circles: string[][] = [];
  const indexes = new Map<string, number>();
  const lowLinks = new Map<string, number>();
  const path: string[] = [];
  const visit = (module: string): number => {
    const index = indexes.size;
    indexes.set(module, index);
    lowLinks.set(module, index);
    path.push(module);
    const imported = graph.get(module) ?? [];
    for (const next of imported) {
      const low = indexes.has(next) ? (path.includes(next) ? indexes.get(next) : undefined) : visit(next);
      if (low !== undefined) lowLinks.set(module, Math.min(low, lowLinks.get(module) ?? low));
    }
    const low = lowLinks.get(module) ?? index;
    if (low === index) {
      const members = path.splice(path.indexOf(module));
      if (members.length > 1 || imported.includes(module)) circles.push(members.toSorted());
    }
    return low;
  };
  for (const module of graph.keys()) if (!indexes.has(module)) visit(module);
  return circles;
}

/** The modules that a source names in imports, re-exports and `import()`, including types. Call after `init` of es-module-lexer. */
export function namedBy(source: string, file: string): readonly string[] {
  // The lexer does not see type imports, because types were stripped.
  const statements = source.matchAll(/^(?:import|export)\b[^'";]*(?:\bfrom\s*|\bimport\()['"]([^'"]+)['"]/gm);
  const types = [...statements].map(([, it = '']) => it);
  return [...new Set([...loadedBy(source, file), ...types])];
}

function loadedBy(source: string, file: string): readonly string[] {
  const [imports] = parse(stripTypeScriptTypes(source), file);
  return imports.flatMap(({ n: specifier }) => (specifier === undefined ? [] : [specifier]));
}

/** The file that a specifier resolves to; undefined if it is not a module of a workspace. */
function resolved(specifier: string, importer: string): string | undefined {
  if (specifier.startsWith('.')) return resolve(dirname(importer), specifier);
  if (!specifier.startsWith('@fairlead')) return undefined;
  return createRequire(importer).resolve(specifier);
}
