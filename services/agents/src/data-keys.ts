import { runDataKeysCommand } from '@fairlead/sealing/data-keys-command';
import { agentsConfig } from './config.ts';

/** `node src/data-keys.ts status | replace --yes`: the data keys that seal the service's database; see docs/operations.md. */
process.exitCode = await runDataKeysCommand({ service: 'agents', config: agentsConfig });
