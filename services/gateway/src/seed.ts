import { parseArgs } from 'node:util';
import { systemClock } from '@fairlead/service-kit/clock';
import { loadConfig } from '@fairlead/service-kit/config';
import { createLogger } from '@fairlead/service-kit/logger';
import { connectMongo } from '@fairlead/service-kit/mongo';
import { seedConfig } from './config.ts';
import { seedAccounts } from './identity/seed.ts';
import { identityCollections, identityRepository } from './identity/storage/identity.repository.ts';

/** `node src/seed.ts --file <path>`: seeds the two accounts of an installation and keeps their secrets in the file. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { file: { type: 'string' } } });
  if (values.file === undefined) throw new Error('say where the secrets are kept: --file <path>');
  const config = loadConfig(seedConfig, process.env);
  const store = await connectMongo({
    uri: config.MONGODB_URI,
    database: config.MONGODB_DATABASE,
    log: createLogger({ service: 'gateway-seed', level: config.LOG_LEVEL }),
    collections: identityCollections,
  });
  try {
    await seedAccounts({ store: identityRepository(store), clock: systemClock }, values.file);
  } finally {
    await store.close();
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`gateway seed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
