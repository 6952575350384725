import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import type { CreateDestinationRequest, Destination, IssuedDestination } from '@fairlead/sdk';
import { collect, print, remark } from '../output.ts';
import { confirm } from '../prompt.ts';
import { accountClient } from '../session/client-settings.ts';
import { properties, table } from '../table.ts';
import type { World } from '../world.ts';
import { STANDARD_INPUT, jsonInput } from './json-input.ts';
import { accountOptions, nonEmpty } from './options.ts';
import type { AccountOptions } from './options.ts';

type Headers = NonNullable<CreateDestinationRequest['headers']>;

interface MemberOptions extends AccountOptions {
  readonly name?: string;
  readonly to?: string;
  readonly headersStdin?: boolean;
  readonly maxFailures?: number;
}

const PAGE = 100;

/** `fairlead destinations …` */
export function addDestinations(program: Command, world: World): void {
  const destinations = program
    .command('destinations')
    .helpCommand(false)
    .description('manage the addresses that events of triggers are delivered to');
  const signal = { signal: world.signal };

  accountOptions(destinations.command('list'))
    .description('list the destinations, newest first')
    .action(async (options: AccountOptions) => {
      const client = await accountClient(options, world);
      const all = await collect(client.triggers.iterateDestinations({ top: PAGE }, signal));
      print(world, options, all, () => destinationTable(all));
    });

  accountOptions(destinations.command('get'))
    .description('show a destination')
    .argument('<destinationId>', 'the destination', nonEmpty)
    .action(async (id: string, options: AccountOptions) => {
      const client = await accountClient(options, world);
      const destination = await client.triggers.getDestination(id, signal);
      print(world, options, destination, () => destinationProperties(destination));
    });

  memberOptions(destinations.command('create'))
    .description('create a destination; shows its signing secret once')
    .requiredOption('--to <url>', 'the address, such as https://example.com/events', nonEmpty)
    .action(async (options: MemberOptions & { readonly to: string }) => {
      const client = await accountClient(options, world);
      const members = { ...(await membersOf(world, options)), url: options.to };
      const destination = await client.triggers.createDestination(members, signal);
      print(world, options, destination, () => issuedProperties(destination));
      remark(world, 'Store the signing secret now: it is not shown again.');
    });

  memberOptions(destinations.command('update'))
    .description('change a destination; headers replace the former ones')
    .argument('<destinationId>', 'the destination', nonEmpty)
    .option('--to <url>', 'another address', nonEmpty)
    .action(async (id: string, options: MemberOptions) => {
      const client = await accountClient(options, world);
      const change = {
        ...(await membersOf(world, options)),
        ...(options.to !== undefined && { url: options.to }),
      };
      const destination = await client.triggers.updateDestination(id, change, signal);
      print(world, options, destination, () => destinationProperties(destination));
    });

  for (const isEnabled of [true, false]) {
    accountOptions(destinations.command(isEnabled ? 'enable' : 'disable'))
      .description(
        isEnabled
          ? 'deliver to a destination again, also the events captured in the last 24 hours'
          : 'hold the deliveries to a destination; events are still captured',
      )
      .argument('<destinationId>', 'the destination', nonEmpty)
      .action(async (id: string, options: AccountOptions) => {
        const client = await accountClient(options, world);
        const destination = await client.triggers.updateDestination(id, { isEnabled }, signal);
        print(world, options, destination, () => destinationProperties(destination));
      });
  }

  accountOptions(destinations.command('rotate-secret'))
    .description('replace the signing secret; the former one stops signing at once')
    .argument('<destinationId>', 'the destination', nonEmpty)
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (id: string, options: AccountOptions & { readonly yes?: boolean }) => {
      const client = await accountClient(options, world);
      const question = `Receivers that know only the former secret of ${id} will refuse its deliveries.`;
      await confirm(world, { yes: options.yes === true, question, word: 'rotate' });
      const destination = await client.triggers.rotateDestinationSecret(id, signal);
      print(world, options, destination, () => issuedProperties(destination));
      remark(world, 'Store the signing secret now: it is not shown again.');
    });

  accountOptions(destinations.command('delete'))
    .description('delete a destination; its open deliveries end, and triggers lose it')
    .argument('<destinationId>', 'the destination', nonEmpty)
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (id: string, options: AccountOptions & { readonly yes?: boolean }) => {
      const client = await accountClient(options, world);
      const question = `Nothing will be delivered to ${id} any more. This cannot be undone.`;
      await confirm(world, { yes: options.yes === true, question, word: 'delete' });
      await client.triggers.deleteDestination(id, signal);
      print(world, options, { id, isDeleted: true }, () => `Deleted destination ${id}.\n`);
    });
}

function memberOptions(command: Command): Command {
  return accountOptions(command)
    .option('--name <name>', 'a name (default: the host of the address)', nonEmpty)
    .option('--headers-stdin', 'read further headers of each request, a JSON object, from standard input')
    .option('--max-failures <count>', 'dead-lettered events in a row that disable it, 1 to 100', count);
}

async function membersOf(world: World, { name, headersStdin, maxFailures }: MemberOptions) {
  return {
    ...(name !== undefined && { name }),
    // The API validates the members.
    ...(headersStdin === true && { headers: (await jsonInput(world, STANDARD_INPUT)) as Headers }),
    ...(maxFailures !== undefined && { maxConsecutiveFailures: maxFailures }),
  };
}

function count(value: string): number {
  if (!/^(?:[1-9]\d?|100)$/.test(value)) throw new InvalidArgumentError('Expected a number from 1 to 100.');
  return Number(value);
}

function statusOf({ isEnabled, disabledReason }: Destination): string {
  if (isEnabled) return 'enabled';
  return disabledReason === 'consecutive_failures' ? 'disabled by failures' : 'disabled';
}

function destinationTable(destinations: readonly Destination[]): string {
  return table(destinations, [
    { title: 'ID', value: ({ id }) => id },
    { title: 'NAME', value: ({ name }) => name },
    { title: 'URL', value: ({ url }) => url },
    { title: 'STATUS', value: statusOf },
    { title: 'FAILURES', value: ({ consecutiveFailures }) => consecutiveFailures },
  ]);
}

function destinationProperties(destination: Destination): string {
  return properties([
    ['ID', destination.id],
    ['Name', destination.name],
    ['URL', destination.url],
    ['Headers', Object.keys(destination.headers).join(', ')],
    ['Status', statusOf(destination)],
    [
      'Failures in a row',
      `${destination.consecutiveFailures} of ${destination.maxConsecutiveFailures}, which disable it`,
    ],
  ]);
}

function issuedProperties(destination: IssuedDestination): string {
  return `${properties([['Signing secret', destination.signingSecret]])}${destinationProperties(destination)}`;
}
