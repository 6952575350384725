import { CATALOGUE, CONNECTORS, SOURCES } from './cache.ts';

process.argv.push('--connectors', CONNECTORS, '--out', CATALOGUE, '--sources', SOURCES);
await import('@fairlead/connector-model/cli');
