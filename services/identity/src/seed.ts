import { parseArgs } from 'node:util';
import { systemClock } from '@fairlead/service-kit/clock';
import { loadConfig } from '@fairlead/service-kit/config';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { Closers } from '@fairlead/service-kit/lifecycle/lifecycle';
import { connectMongo } from '@fairlead/service-kit/mongo/mongo';
import { connectNats } from '@fairlead/service-kit/nats/nats';
import { seedConfig } from './config.ts';
import { announceIdentityChanges } from './events/identity-changes.ts';
import { argon2Passwords } from './passwords/password.ts';
import { seedAccounts } from './seeding/seed-accounts.ts';
import { schema } from './storage/schema.ts';
import { seedRepository } from './storage/seed.repository.ts';

/** `node src/seed.ts --file <path>`: seeds the two accounts of an installation and keeps their secrets in the file. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { file: { type: 'string' } } });
  if (values.file === undefined) throw new Error('name the file that keeps the secrets: --file <path>');
  const config = loadConfig(seedConfig, process.env);
  const log = createLogger({ service: 'identity-seed', level: config.LOG_LEVEL });
  const closers = new Closers(log);
  try {
    const store = await connectMongo({
      uri: config.MONGODB_URI,
      database: config.MONGODB_DATABASE,
      log,
      ...schema,
    });
    closers.push('mongo', () => store.close());
    const nats = await connectNats({ url: config.NATS_URL, name: 'identity-seed', log });
    closers.push('nats', () => nats.close());
    const changeIdentity = announceIdentityChanges({ nats, log });
    const deps = {
      store: seedRepository(store),
      passwords: argon2Passwords,
      clock: systemClock,
      changeIdentity,
    };
    await seedAccounts(deps, values.file);
  } finally {
    await closers.close();
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`identity seed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
