import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findMongod } from '@fairlead/local-stores/mongod-binary';
import { findNatsServer } from '@fairlead/local-stores/nats-server-binary';
import { readRelease } from '../src/archive/release.ts';
import { writeStoreImage } from '../src/archive/store-image.ts';

const USAGE = `usage: npx node deploy/docker/stores/build.ts --out <folder> [--tag <tag>]
  Writes images of mongod and nats-server as archives for docker load, from the programs that npm start uses. They stand in for
  the official images where those cannot be pulled.
`;

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const { values } = parseArgs({ options: { out: { type: 'string' }, tag: { type: 'string' } } });
if (values.out === undefined) {
  process.stderr.write(USAGE);
  process.exit(2);
}
const folder = resolve(values.out);
const tag = values.tag ?? (await readRelease(ROOT));
const log = (line: string): void => void process.stdout.write(`${line}\n`);
await mkdir(folder, { recursive: true });
const mongod = await findMongod({ log, installSystemPackages: true });
const nats = await findNatsServer({ log });
for (const image of [
  {
    program: mongod.path,
    name: 'mongod',
    dataFolder: '/data/db',
    command: ['mongod', '--bind_ip_all', '--replSet', 'fairlead'],
    repository: 'ghcr.io/fairlead/fairlead-mongodb',
    file: 'fairlead-mongodb.tar',
  },
  {
    program: nats.path,
    name: 'nats-server',
    dataFolder: '/data',
    command: ['nats-server', '--jetstream', '--store_dir', '/data'],
    repository: 'ghcr.io/fairlead/fairlead-nats',
    file: 'fairlead-nats.tar',
  },
]) {
  const { repository, file, ...parts } = image;
  await writeStoreImage({ ...parts, tag: `${repository}:${tag}`, out: join(folder, file) });
  log(`${repository}:${tag} is in ${join(folder, file)}`);
}
