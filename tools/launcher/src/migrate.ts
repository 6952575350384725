import { SERVICE_NAMES } from '@fairlead/service-list/services';
import { runServiceCommand } from './service-command.ts';

await runServiceCommand({
  usage: `usage: npm run migrate -- contract|restored [--service <name>] [--data <folder>] [--yes]
  contract prints what this release removes from each database; --yes removes it. See docs/production.md.
  restored prepares databases that were restored from a backup, with --yes. See docs/production.md.
  MONGODB_URI names the database server; without it, the running instance on the data folder does (default .fairlead).`,
  script: 'migrate.ts',
  services: [...SERVICE_NAMES, 'gateway'],
  actions: ['contract', 'restored'],
});
