// Fetches the programs of an operator's list of packages. Arguments: the list (YAML) and the folder.
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { packageList } from './allowed-package.ts';
import { fetchPackages } from './fetch-packages.ts';

async function run([list, directory, ...rest]: readonly string[]): Promise<string> {
  if (list === undefined || directory === undefined || rest.length > 0)
    throw new Error(
      'Give a list of packages and a folder, such as connectors/packages.yaml .fairlead/packages',
    );
  const { data, error } = packageList.safeParse(parseYaml(await readFile(list, 'utf8')));
  if (data === undefined) throw new Error(`${list}: ${z.prettifyError(error)}`);
  const folder = dirname(list);
  await fetchPackages(data.packages, directory, { readLock: (path) => readFile(join(folder, path), 'utf8') });
  return `${String(data.packages.length)} packages are in ${directory}: set PACKAGES_PATH of the tools service to it`;
}

try {
  process.stdout.write(`${await run(process.argv.slice(2))}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
