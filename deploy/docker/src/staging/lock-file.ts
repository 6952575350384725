import { z } from 'zod';

const names = z.record(z.string(), z.string()).default({});

const lockPackage = z.object({
  /** Only for our own packages. */
  name: z.string().optional(),
  license: z.string().optional(),
  version: z.string().optional(),
  /** For a link: folder of the workspace. */
  resolved: z.string().optional(),
  link: z.boolean().default(false),
  hasInstallScript: z.boolean().default(false),
  dependencies: names,
  optionalDependencies: names,
  peerDependencies: names,
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean().default(false) })).default({}),
});

const lockFile = z.object({ lockfileVersion: z.literal(3), packages: z.record(z.string(), lockPackage) });

/** Installed packages by folder: libraries below `node_modules`, and our own workspaces. */
export type LockedPackages = ReadonlyMap<string, z.infer<typeof lockPackage>>;

/** Reads the text of a `package-lock.json`. */
export function readLockFile(text: string): LockedPackages {
  return new Map(Object.entries(lockFile.parse(JSON.parse(text)).packages));
}

/** Folders that programs need at run time. */
export interface Closure {
  /** Our own packages. */
  readonly workspaces: readonly string[];
  /** Libraries, each at its place below `node_modules`, where Node.js finds it. */
  readonly libraries: readonly string[];
}

/**
 * The folders of `roots` and all their production dependencies. Dependencies of the libraries in `leaves` are omitted. Throws an error
 * naming a package that is not in the lock file.
 */
export function productionClosure(
  packages: LockedPackages,
  roots: readonly string[],
  leaves: ReadonlySet<string> = new Set(),
): Closure {
  const seen = new Set<string>();
  const pending = [...roots];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    if (seen.has(folder)) continue;
    seen.add(folder);
    if (!leaves.has(folder)) pending.push(...dependencyFolders(packages, folder));
  }
  const folders = [...seen].toSorted();
  return {
    workspaces: folders.filter((folder) => !isLibrary(folder)),
    libraries: folders.filter(isLibrary),
  };
}

function isLibrary(folder: string): boolean {
  return folder.startsWith('node_modules/') || folder.includes('/node_modules/');
}

function dependencyFolders(packages: LockedPackages, folder: string): readonly string[] {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } =
    packages.get(folder) ?? notLocked(folder);
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  const needed = Object.keys(dependencies).filter((name) => optionalDependencies[name] === undefined);
  return [
    ...[...needed, ...peers].map((name) => resolveFolder(packages, folder, name) ?? notLocked(name)),
    ...Object.keys(optionalDependencies).flatMap((name) => resolveFolder(packages, folder, name) ?? []),
  ];
}

/** The folder in which Node.js finds `name` from a module in `from`. */
function resolveFolder(packages: LockedPackages, from: string, name: string): string | undefined {
  const segments = from.split('/');
  for (let depth = segments.length; depth >= 0; depth -= 1) {
    if (segments[depth - 1] === 'node_modules') continue;
    const candidate = [...segments.slice(0, depth), 'node_modules', name].join('/');
    const found = packages.get(candidate);
    if (found !== undefined) return found.link ? found.resolved : candidate;
  }
  return undefined;
}

function notLocked(name: string): never {
  throw new Error(`package-lock.json has no ${name}`);
}
