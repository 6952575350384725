import type { Command } from 'commander';
import type { CreateTriggerRequest, Trigger, UpdateTriggerRequest } from '@fairlead/sdk';
import { collect, print } from '../output.ts';
import { confirm } from '../prompt.ts';
import { accountClient } from '../session/client-settings.ts';
import { properties, table } from '../table.ts';
import type { World } from '../world.ts';
import { jsonInput } from './json-input.ts';
import { accountOptions, nonEmpty } from './options.ts';
import type { AccountOptions } from './options.ts';

interface FileOptions extends AccountOptions {
  readonly file: string;
}

const PAGE = 100;

/** `fairlead triggers …` */
export function addTriggers(program: Command, world: World): void {
  const triggers = program
    .command('triggers')
    .helpCommand(false)
    .description('manage the triggers, which make events of what happens');
  const signal = { signal: world.signal };

  accountOptions(triggers.command('types'))
    .description('list what triggers may fire on')
    .option('--application <slug>', 'only those of this application', nonEmpty)
    .option('--search <text>', 'only those that match, the best first', nonEmpty)
    .action(async (options: AccountOptions & { readonly application?: string; readonly search?: string }) => {
      const client = await accountClient(options, world);
      const { application, search } = options;
      const query = {
        top: PAGE,
        ...(application !== undefined && { applicationSlug: application }),
        ...(search !== undefined && { search }),
      };
      const types = await collect(client.triggers.iterateTypes(query, signal));
      print(world, options, types, () =>
        table(types, [
          { title: 'TYPE', value: ({ slug }) => slug },
          { title: 'APPLICATION', value: ({ applicationSlug }) => applicationSlug },
          { title: 'KIND', value: ({ kind }) => kind },
          { title: 'CONNECTION', value: ({ requiresConnection }) => (requiresConnection ? 'needed' : '') },
          { title: 'NAME', value: ({ name }) => name },
        ]),
      );
    });

  accountOptions(triggers.command('list'))
    .description('list the triggers, newest first')
    .action(async (options: AccountOptions) => {
      const client = await accountClient(options, world);
      const all = await collect(client.triggers.iterate({ top: PAGE }, signal));
      print(world, options, all, () => triggerTable(all));
    });

  accountOptions(triggers.command('get'))
    .description('show a trigger')
    .argument('<triggerId>', 'the trigger', nonEmpty)
    .action(async (id: string, options: AccountOptions) => {
      const client = await accountClient(options, world);
      const trigger = await client.triggers.get(id, signal);
      print(world, options, trigger, () => triggerProperties(trigger));
    });

  fileOptions(triggers.command('create'))
    .description('create a trigger from a file of JSON: name, triggerTypeSlug, and what else it has')
    .action(async (options: FileOptions) => {
      const client = await accountClient(options, world);
      // The API validates the members.
      const request = (await jsonInput(world, options.file)) as CreateTriggerRequest &
        Record<string, unknown>;
      const trigger = await client.triggers.create(request, signal);
      print(world, options, trigger, () => triggerProperties(trigger));
    });

  fileOptions(triggers.command('update'))
    .description('change a trigger; members that the file leaves out stay as they are')
    .argument('<triggerId>', 'the trigger', nonEmpty)
    .action(async (id: string, options: FileOptions) => {
      const client = await accountClient(options, world);
      const change = (await jsonInput(world, options.file)) as UpdateTriggerRequest;
      const trigger = await client.triggers.update(id, change, signal);
      print(world, options, trigger, () => triggerProperties(trigger));
    });

  for (const isEnabled of [true, false]) {
    accountOptions(triggers.command(isEnabled ? 'enable' : 'disable'))
      .description(
        isEnabled
          ? 'enable a trigger; earlier events are not replayed'
          : 'disable a trigger until it is enabled again',
      )
      .argument('<triggerId>', 'the trigger', nonEmpty)
      .action(async (id: string, options: AccountOptions) => {
        const client = await accountClient(options, world);
        const trigger = await client.triggers.update(id, { isEnabled }, signal);
        print(world, options, trigger, () => triggerProperties(trigger));
      });
  }

  accountOptions(triggers.command('test'))
    .description('send a signed test event to one destination of a trigger')
    .argument('<triggerId>', 'the trigger', nonEmpty)
    .option('--to <destinationId>', 'which destination (default: the first one)', nonEmpty)
    .action(async (id: string, options: AccountOptions & { readonly to?: string }) => {
      const client = await accountClient(options, world);
      const request = options.to === undefined ? {} : { destinationId: options.to };
      const result = await client.triggers.test(id, request, signal);
      const { delivered, status_code: status, error } = result;
      print(world, options, result, () =>
        properties([
          ['Delivered', delivered ? 'yes' : 'no'],
          ['Status', status === null ? '' : String(status)],
          ['Error', error ?? ''],
        ]),
      );
    });

  accountOptions(triggers.command('delete'))
    .description('delete a trigger; its events stay for their 30 days')
    .argument('<triggerId>', 'the trigger', nonEmpty)
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (id: string, options: AccountOptions & { readonly yes?: boolean }) => {
      const client = await accountClient(options, world);
      const question = `Trigger ${id} will be deleted, and its address with it. This cannot be undone.`;
      await confirm(world, { yes: options.yes === true, question, word: 'delete' });
      await client.triggers.delete(id, signal);
      print(world, options, { id, isDeleted: true }, () => `Deleted trigger ${id}.\n`);
    });
}

function fileOptions(command: Command): Command {
  return accountOptions(command).requiredOption(
    '--file <path>',
    'the members, a JSON object; - for standard input',
    nonEmpty,
  );
}

function triggerTable(triggers: readonly Trigger[]): string {
  return table(triggers, [
    { title: 'ID', value: ({ id }) => id },
    { title: 'NAME', value: ({ name }) => name },
    { title: 'TYPE', value: ({ triggerTypeSlug }) => triggerTypeSlug },
    { title: 'STATUS', value: ({ isEnabled }) => (isEnabled ? 'enabled' : 'disabled') },
    { title: 'LAST FIRED', value: ({ lastFiredAt }) => lastFiredAt ?? '' },
    { title: 'LAST ERROR', value: ({ lastError }) => lastError ?? '' },
  ]);
}

function triggerProperties(trigger: Trigger): string {
  return properties([
    ['ID', trigger.id],
    ['Name', trigger.name],
    ['Type', trigger.triggerTypeSlug],
    ['Connection', String(trigger.connectionId)],
    ['Configuration', JSON.stringify(trigger.configuration)],
    ['Filter', trigger.filter ?? ''],
    ['Destinations', trigger.destinationIds.join(', ')],
    ['Status', trigger.isEnabled ? 'enabled' : 'disabled'],
    ['Address', trigger.inboundUrl ?? ''],
    ['Last fired', trigger.lastFiredAt ?? ''],
    ['Last error', trigger.lastError ?? ''],
    ['Gaps', trigger.gaps.map(({ from, to, reason }) => `${from} to ${to}: ${reason}`).join('; ')],
  ]);
}
