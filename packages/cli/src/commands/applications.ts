import { Option } from 'commander';
import type { Command } from 'commander';
import type { ApplicationSummary, ListApplicationsQuery } from '@fairlead/sdk';
import { accountClient } from '../session/client-settings.ts';
import type { Column } from '../table.ts';
import type { World } from '../world.ts';
import { listOptions, printList } from './listing.ts';
import type { ListOptions } from './listing.ts';
import { nonEmpty } from './options.ts';

interface ApplicationFilter extends ListOptions {
  readonly search?: string;
  readonly kind?: NonNullable<ListApplicationsQuery['kind']>;
  readonly available?: boolean;
}

const KINDS: readonly NonNullable<ListApplicationsQuery['kind']>[] = ['Regular', 'Key', 'MCPClient'];

const COLUMNS: readonly Column<ApplicationSummary>[] = [
  { title: 'APPLICATION', value: ({ slug }) => slug },
  { title: 'NAME', value: ({ name }) => name },
  { title: 'KIND', value: ({ kind }) => kind },
  { title: 'TOOLS', value: ({ toolCount }) => toolCount },
  { title: 'TRIGGERS', value: ({ triggerTypeCount }) => triggerTypeCount },
  { title: 'CONNECTABLE', value: ({ isAvailable }) => isAvailable },
];

/** `fairlead applications …` */
export function addApplications(program: Command, world: World): void {
  const applications = program
    .command('applications')
    .helpCommand(false)
    .description('browse the applications that the account can connect');

  listOptions(applications.command('list'))
    .description('list the applications by name, or by relevance with --search')
    .option('--search <text>', 'only those that match this, by meaning', nonEmpty)
    .addOption(new Option('--kind <kind>', 'only those of this kind').choices(KINDS))
    .option('--available', 'only those that can be connected now')
    .action(async (options: ApplicationFilter) => {
      const client = await accountClient(options, world);
      const { search, kind, available } = options;
      const query = {
        ...(search !== undefined && { search }),
        ...(kind !== undefined && { kind }),
        ...(available !== undefined && { available }),
      };
      const signal = { signal: world.signal };
      await printList(
        world,
        options,
        ({ offset, top }) => client.applications.list({ ...query, offset, top }, signal),
        COLUMNS,
      );
    });
}
