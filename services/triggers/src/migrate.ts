import { runMigrateCommand } from '@fairlead/service-kit/mongo/migrate-command';
import { triggersConfig } from './config.ts';
import { recheckConfirmed } from './storage/restored-outbox.ts';
import { schema } from './storage/schema.ts';

/** `node src/migrate.ts contract|restored [--yes]`; see docs/production.md. */
process.exitCode = await runMigrateCommand({
  service: 'triggers',
  config: triggersConfig,
  schema,
  restored: async ({ db }) => [
    `the ledger will be asked again for the events of ${await recheckConfirmed(db, new Date())} groups`,
  ],
});
