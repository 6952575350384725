import { runContractCommand } from '@fairlead/service-kit/mongo/contract-command';
import { gatewayConfig } from './config.ts';
import { gatewaySchema } from './gateway-schema.ts';

/** `node src/migrate.ts contract [--yes]`: removes what only earlier releases need; see docs/operations.md. */
process.exitCode = await runContractCommand({
  service: 'gateway',
  config: gatewayConfig,
  schema: gatewaySchema,
});
