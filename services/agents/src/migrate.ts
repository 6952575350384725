import { runMigrateCommand } from '@fairlead/service-kit/mongo/migrate-command';
import { agentsConfig } from './config.ts';
import { schema } from './storage/schema.ts';

/** `node src/migrate.ts contract|restored [--yes]`; see docs/production.md. */
process.exitCode = await runMigrateCommand({ service: 'agents', config: agentsConfig, schema });
