import { runServiceCommand } from './service-command.ts';

await runServiceCommand({
  usage: `usage: npm run data-keys -- status | replace --yes [--service <name>] [--data <folder>]
  Prints which keys wrap the data keys of each service that seals, or requests new data keys. See docs/operations.md.
  MONGODB_URI names the database server; without it, the running instance on the data folder does (default .fairlead).`,
  script: 'data-keys.ts',
  services: ['identity', 'connections', 'delivery', 'triggers', 'agents', 'mcp', 'gateway'],
  actions: ['status', 'replace'],
});
