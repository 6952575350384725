import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import type { OperatedAccount, UpdateOperatedAccountRequest } from '@fairlead/sdk';
import { CliError, EXIT_CODES } from '../failure.ts';
import { collect, moment, print, remark } from '../output.ts';
import type { OutputOptions } from '../output.ts';
import { confirm, newPassword } from '../prompt.ts';
import { operatorClient } from '../session/client-settings.ts';
import { properties, table } from '../table.ts';
import type { World } from '../world.ts';
import { nonEmpty, passwordOptions, urlOptions } from './options.ts';
import { saveFile } from './save-file.ts';
import type { CompletenessCheck } from './save-file.ts';

interface CommonOptions extends OutputOptions {
  readonly url?: string;
}

interface SettingsOptions {
  readonly name?: string;
  readonly rbac?: 'on' | 'off';
  readonly defaultLicence?: OperatedAccount['defaultLicence'];
  readonly budget?: Budgets;
}

interface CreateOptions extends CommonOptions, SettingsOptions {
  readonly name: string;
  readonly ownerEmail?: string;
  readonly ownerName?: string;
  readonly password?: boolean;
  readonly passwordStdin?: boolean;
}

type Budgets = Readonly<Record<string, number>>;

const BUDGETS: readonly (keyof OperatedAccount['budgets'])[] = [
  'burstPerSecond',
  'hourly',
  'searchPerSecond',
  'searchPerHour',
  'triggerTestPerMinute',
  'hookPerSecond',
];

/** `fairlead accounts …` */
export function addAccounts(program: Command, world: World): void {
  const accounts = program
    .command('accounts')
    .helpCommand(false)
    .description('manage the accounts of the installation (needs FAIRLEAD_OPERATOR_KEY)');
  const signal = { signal: world.signal };

  urlOptions(accounts.command('list'))
    .description('list the accounts')
    .action(async (options: CommonOptions) => {
      const client = await operatorClient(options, world);
      const all = await collect(client.operator.iterateAccounts({}, signal));
      print(world, options, all, () => accountTable(all));
    });

  passwordOptions(settingsOptions(urlOptions(accounts.command('create'))))
    .description('create an account with its owner; shows the owner’s first API key once')
    .option(
      '--owner-email <address>',
      'the owner’s e-mail address; without it the owner has only the key',
      nonEmpty,
    )
    .option('--owner-name <name>', 'the owner’s name', nonEmpty)
    .action(async (options: CreateOptions) => {
      const client = await operatorClient(options, world);
      if (options.name === undefined) throw new CliError(EXIT_CODES.usage, 'An account needs a --name.');
      const fromInput = options.passwordStdin === true;
      const hasPassword = fromInput || options.password === true;
      const ownerPassword = hasPassword ? await newPassword(world, { fromInput }) : undefined;
      const account = await client.operator.createAccount(
        {
          ...settingsOf(options),
          name: options.name,
          ...(options.ownerEmail !== undefined && { ownerEmail: options.ownerEmail }),
          ...(options.ownerName !== undefined && { ownerName: options.ownerName }),
          ...(ownerPassword !== undefined && { ownerPassword }),
        },
        signal,
      );
      print(world, options, account, () =>
        properties([
          ['Account', account.accountId],
          ['Name', account.name],
          ['Owner', `${account.owner.email} (${account.owner.userId})`],
          ['API key', account.apiKey],
        ]),
      );
      remark(world, 'Store the key now: it is not shown again.');
    });

  settingsOptions(urlOptions(accounts.command('update')))
    .description('change an account; omitted settings stay as they are')
    .argument('<accountId>', 'the account')
    .action(async (accountId: string, options: CommonOptions & SettingsOptions) => {
      const client = await operatorClient(options, world);
      const change = settingsOf(options);
      if (Object.keys(change).length === 0) {
        throw new CliError(EXIT_CODES.usage, 'There is nothing to change: pass at least one setting.');
      }
      const account = await client.operator.updateOperatedAccount(accountId, change, signal);
      print(world, options, account, () => accountProperties(account));
    });

  urlOptions(accounts.command('delete'))
    .description('erase an account and all of its data permanently')
    .argument('<accountId>', 'the account')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (accountId: string, options: CommonOptions & { yes?: boolean }) => {
      const client = await operatorClient(options, world);
      const { name } = await client.operator.getOperatedAccount(accountId, signal);
      const question = `All data of the account “${name}” will be erased: users, keys, connections, history.`;
      await confirm(world, { yes: options.yes === true, question, word: accountId });
      await client.operator.deleteAccount(accountId, signal);
      print(world, options, { accountId, isErased: true }, () => `Erased ${accountId}.\n`);
    });

  urlOptions(accounts.command('export'))
    .description('write all data of an account except secrets to a file')
    .argument('<accountId>', 'the account')
    .requiredOption('--file <path>', 'the file to write; only you can read it', nonEmpty)
    .option('--force', 'overwrite an existing file')
    .action(async (accountId: string, options: CommonOptions & { file: string; force?: boolean }) => {
      const client = await operatorClient(options, world);
      const saved = await saveFile(await client.operator.exportAccountStream(accountId, signal), {
        file: options.file,
        cwd: world.cwd,
        isReplacing: options.force === true,
        check: jsonObjectCheck(),
      });
      print(world, options, saved, () => `Wrote ${saved.file} (${saved.sizeBytes} bytes).\n`);
    });
}

/** A truncated response is not a JSON object. */
function jsonObjectCheck(): CompletenessCheck {
  let last = '';
  return {
    add: (bytes) => {
      last = (last + new TextDecoder().decode(bytes.subarray(-8))).trimEnd().slice(-1);
    },
    isComplete: () => last === '}',
  };
}

function settingsOptions(command: Command): Command {
  return command
    .option('--name <name>', 'the account’s name', nonEmpty)
    .addOption(new Option('--rbac <switch>', 'whether permissions depend on the role').choices(['on', 'off']))
    .addOption(
      new Option('--default-licence <licence>', 'the licence of new connections').choices(['active', 'none']),
    )
    .addOption(
      new Option('--budget <name=number>', `a budget, repeatable: ${BUDGETS.join(', ')}`).argParser(budget),
    );
}

function budget(value: string, before: Budgets | undefined): Budgets {
  const [, name = '', count = ''] = /^(\w+)=(\d{1,9})$/.exec(value) ?? [];
  if (!BUDGETS.some((known) => known === name) || Number(count) < 1) {
    throw new InvalidArgumentError(`Expected one of ${BUDGETS.join(', ')}, then = and a number from 1.`);
  }
  return { ...before, [name]: Number(count) };
}

function settingsOf(options: SettingsOptions): UpdateOperatedAccountRequest {
  return {
    ...(options.name !== undefined && { name: options.name }),
    ...(options.rbac !== undefined && { isRbacEnabled: options.rbac === 'on' }),
    ...(options.defaultLicence !== undefined && { defaultLicence: options.defaultLicence }),
    ...(options.budget !== undefined && { budgets: options.budget }),
  };
}

function accountTable(accounts: readonly OperatedAccount[]): string {
  return table(accounts, [
    { title: 'ACCOUNT', value: ({ accountId }) => accountId },
    { title: 'NAME', value: ({ name }) => name },
    { title: 'RBAC', value: ({ isRbacEnabled }) => (isRbacEnabled ? 'on' : 'off') },
    { title: 'LICENCE', value: ({ defaultLicence }) => defaultLicence },
    { title: 'HOURLY', value: ({ budgets }) => budgets.hourly },
    { title: 'CREATED', value: ({ createdAt }) => moment(createdAt) },
    { title: 'ERASING SINCE', value: ({ erasingAt }) => moment(erasingAt) },
  ]);
}

function accountProperties(account: OperatedAccount): string {
  return properties([
    ['Account', account.accountId],
    ['Name', account.name],
    ['RBAC', account.isRbacEnabled ? 'on' : 'off'],
    ['Default licence', account.defaultLicence],
    ...BUDGETS.map((name) => [`Budget ${name}`, account.budgets[name]] as const),
    ['Created', moment(account.createdAt)],
  ]);
}
