import { runMigrateCommand } from '@fairlead/service-kit/mongo/migrate-command';
import { gatewayConfig } from './config.ts';
import { gatewaySchema } from './gateway-schema.ts';

/** `node src/migrate.ts contract|restored [--yes]`; see docs/production.md. */
process.exitCode = await runMigrateCommand({
  service: 'gateway',
  config: gatewayConfig,
  schema: gatewaySchema,
});
