import { runContractCommand } from '@fairlead/service-kit/mongo/contract-command';
import { agentsConfig } from './config.ts';
import { schema } from './storage/schema.ts';

/** `node src/migrate.ts contract [--yes]`: removes what only earlier releases need; see docs/operations.md. */
process.exitCode = await runContractCommand({ service: 'agents', config: agentsConfig, schema });
