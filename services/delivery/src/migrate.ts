import { runMigrateCommand } from '@fairlead/service-kit/mongo/migrate-command';
import { deliveryConfig } from './config.ts';
import { schema } from './storage/schema.ts';

/** `node src/migrate.ts contract|restored [--yes]`; see docs/production.md. */
process.exitCode = await runMigrateCommand({ service: 'delivery', config: deliveryConfig, schema });
