import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readCatalogueFile } from '@fairlead/connector-model/catalogue-file';
import { readIfThere } from '@fairlead/connector-model/read-if-there';
import { extractMembers } from '@fairlead/connector-model/sources/extract-members';
import { fetchArchive } from '@fairlead/connector-model/sources/fetch-archive';
import type { PinnedPackage } from '@fairlead/connector-model/sources/fetch-archive';
import { parse } from 'yaml';
import { CATALOGUE, SOURCES } from '../cache.ts';
import '../compile.ts';
import { compareAddresses, providersSchema, readingSchema } from './compare.ts';

/** A third party's collection of vendors' addresses. It is only read here, and not part of a release. */
const COLLECTION: PinnedPackage = {
  registry: 'npm',
  package: '@nangohq/providers',
  version: '0.71.10',
  integrity:
    'sha512-lXrO4QBLNKxC7EuI+Spaknl2/ied2On0pdwhTQgXNBk6OhpnqF9LUuwbi1vK0xfr0GW/gowVDb8+n4CL0Bwv2Q==',
};
const FILE = 'providers.yaml';

/** The text of the collection, downloaded once into `directory`. */
async function readCollection(directory: string): Promise<string> {
  const digest = createHash('sha256').update(COLLECTION.integrity).digest('hex').slice(0, 32);
  const file = join(directory, `providers-${digest}.yaml`);
  if ((await readIfThere(file)) === undefined) {
    await mkdir(directory, { recursive: true });
    await extractMembers(
      { directory, pinned: COLLECTION, fetch: fetchArchive, isWanted: (path) => path === FILE },
      async (members, put) => put(file, members.get(FILE) ?? ''),
    );
  }
  return readFile(file, 'utf8');
}

const { addresses, applications, explained, problems } = compareAddresses(
  await readCatalogueFile(CATALOGUE),
  providersSchema.parse(parse(await readCollection(SOURCES))),
  readingSchema.parse(parse(await readFile(join(import.meta.dirname, 'differences.yaml'), 'utf8'))),
);
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.stdout.write(
  `${String(addresses)} addresses of ${String(applications)} applications compared, ${String(explained)} explained differences, ${String(problems.length)} problems\n`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
