import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Connection, ListConnectionsQuery } from '@fairlead/sdk';
import { CliError, EXIT_CODES } from '../failure.ts';
import { collect, moment, print } from '../output.ts';
import { confirm } from '../prompt.ts';
import { accountClient } from '../session/client-settings.ts';
import { printable, properties, table } from '../table.ts';
import type { World } from '../world.ts';
import { connectApplication, replaceConnection } from './connect-application.ts';
import type { ConnectOptions, ReplaceOptions } from './connect-application.ts';
import { accountOptions, futureMoment, nonEmpty, recordId } from './options.ts';
import type { AccountOptions } from './options.ts';
import { addSendRequest } from './send-request.ts';
import { gatherValues, valuesOptions } from './values.ts';
import type { Assignments, ValueSlot, ValuesOptions } from './values.ts';

interface ListOptions extends AccountOptions {
  readonly application?: string;
  readonly status?: Connection['status'];
  readonly endUser?: string;
  readonly kind?: NonNullable<ListConnectionsQuery['kind']>;
}

interface ImportOptions extends ValuesOptions {
  readonly name: string;
  readonly method: number;
  readonly authProvider?: string;
  readonly endUser?: string;
  readonly tokenExpires?: string;
  readonly field?: Assignments;
}

const tokenTexts = z.object({ accessToken: z.string(), refreshToken: z.string().optional() });

/** The secret values of an import. */
const TOKENS: readonly ValueSlot[] = [
  { name: 'accessToken', label: 'Access token', isSecret: true, isRequired: true, read: (typed) => typed },
  { name: 'refreshToken', label: 'Refresh token', isSecret: true, isRequired: false, read: (typed) => typed },
];

const STATUSES: readonly Connection['status'][] = ['Active', 'NeedsReauthentication', 'Blocked'];
const KINDS: readonly NonNullable<ListConnectionsQuery['kind']>[] = ['Regular', 'Key', 'MCPClient'];
const PAGE = 100;

/** `fairlead connections …` */
export function addConnections(program: Command, world: World): void {
  const connections = program
    .command('connections')
    .helpCommand(false)
    .description('manage the account’s connections to applications');
  const signal = { signal: world.signal };

  accountOptions(connections.command('list'))
    .description('list the connections, newest first')
    .option('--application <slug>', 'only those of this application', nonEmpty)
    .addOption(new Option('--status <status>', 'only those with this status').choices(STATUSES))
    .addOption(new Option('--kind <kind>', 'only those of this kind').choices(KINDS))
    .option('--end-user <id>', 'only those of this end user', nonEmpty)
    .action(async (options: ListOptions) => {
      const client = await accountClient(options, world);
      const { application, status, kind, endUser } = options;
      const query = {
        top: PAGE,
        ...(application !== undefined && { applicationSlug: application }),
        ...(status !== undefined && { status }),
        ...(kind !== undefined && { kind }),
        ...(endUser !== undefined && { endUserId: endUser }),
      };
      const all = await collect(client.connections.iterate(query, signal));
      print(world, options, all, () => connectionTable(all));
    });

  accountOptions(connections.command('get'))
    .description('show a connection')
    .argument('<connectionId>', 'the connection', recordId)
    .action(async (connectionId: number, options: AccountOptions) => {
      const client = await accountClient(options, world);
      const connection = await client.connections.get(connectionId, signal);
      print(world, options, connection, () => connectionProperties(connection));
    });

  valuesOptions(
    accountOptions(connections.command('create')),
    '--field',
    'a value that the authentication method needs',
  )
    .description('connect an application; an OAuth method prints the address to sign in at and waits')
    .argument('<applicationSlug>', 'the application', nonEmpty)
    .option('--name <name>', 'the connection’s name (default: the suggested or the application’s)', nonEmpty)
    .option('--description <text>', 'the connection’s description', nonEmpty)
    .option('--method <authenticationId>', 'the authentication method (default: the application’s)')
    .option('--auth-provider <name>', 'the auth provider, or none for the connector’s own client', nonEmpty)
    .option('--no-browser', 'print the address without opening a browser')
    .action(async (applicationSlug: string, options: AccountOptions & ConnectOptions) => {
      const client = await accountClient(options, world);
      const connection = await connectApplication(client, applicationSlug, options, world);
      print(world, options, connection, () => connectionProperties(connection));
    });

  valuesOptions(
    accountOptions(connections.command('replace')),
    '--field',
    'a value of the new credentials, which replace all of the former ones',
  )
    .description('rename a connection, replace its credentials, or sign in again; the id stays')
    .argument('<connectionId>', 'the connection', recordId)
    .option('--name <name>', 'the connection’s new name', nonEmpty)
    .option('--description <text>', 'the connection’s new description', nonEmpty)
    .option('--sign-in', 'sign in again; prints the address to sign in at and waits')
    .option('--no-browser', 'print the address without opening a browser')
    .action(async (connectionId: number, options: AccountOptions & ReplaceOptions) => {
      const client = await accountClient(options, world);
      const connection = await replaceConnection(client, connectionId, options, world);
      print(world, options, connection, () => connectionProperties(connection));
    });

  valuesOptions(accountOptions(connections.command('import')), '--field', 'accessToken or refreshToken')
    .description(
      'take over a sign-in that was made elsewhere through the same OAuth client; the access token is prompted for',
    )
    .argument('<applicationSlug>', 'the application', nonEmpty)
    .requiredOption('--name <name>', 'the connection’s name', nonEmpty)
    .requiredOption('--method <authenticationId>', 'the authentication method', methodId)
    .option('--auth-provider <name>', 'the auth provider, or none for the connector’s own client', nonEmpty)
    .option('--end-user <id>', 'the end user that it belongs to', nonEmpty)
    .option(
      '--token-expires <when>',
      'when the access token expires: a date, or a duration such as 1h',
      futureMoment(world.now),
    )
    .action(async (applicationSlug: string, options: AccountOptions & ImportOptions) => {
      const client = await accountClient(options, world);
      const values = await gatherValues(world, TOKENS, {
        given: options.field,
        fromInput: options.valuesStdin === true,
      });
      const tokens = tokenTexts.safeParse(values);
      if (!tokens.success) throw new CliError(EXIT_CODES.usage, 'An access token is needed, as text.');
      const connection = await client.administration.importConnection(
        {
          applicationSlug,
          connectionName: options.name,
          authenticationId: options.method,
          accessToken: tokens.data.accessToken,
          ...(tokens.data.refreshToken !== undefined && { refreshToken: tokens.data.refreshToken }),
          ...(options.authProvider !== undefined && { authProvider: options.authProvider }),
          ...(options.endUser !== undefined && { endUserId: options.endUser }),
          ...(options.tokenExpires !== undefined && { expiresAt: options.tokenExpires }),
        },
        signal,
      );
      print(world, options, connection, () => connectionProperties(connection));
    });

  accountOptions(connections.command('test'))
    .description('call the vendor with a connection’s credential; a failure is exit code 1')
    .argument('<connectionId>', 'the connection', recordId)
    .action(async (connectionId: number, options: AccountOptions) => {
      const client = await accountClient(options, world);
      const result = await client.connections.test(connectionId, signal);
      print(world, options, result, () => (result.isSuccess ? `Connection ${connectionId} works.\n` : ''));
      if (!result.isSuccess) {
        const reason = printable(result.errorMessage ?? 'The vendor gave no reason.');
        throw new CliError(EXIT_CODES.failed, `Connection ${connectionId} does not work: ${reason}`);
      }
    });

  addSendRequest(connections, world);

  accountOptions(connections.command('default'))
    .description('make a connection the default of its application')
    .argument('<connectionId>', 'the connection', recordId)
    .action(async (connectionId: number, options: AccountOptions) => {
      const client = await accountClient(options, world);
      const connection = await client.connections.setDefault(connectionId, signal);
      print(world, options, connection, () => connectionProperties(connection));
    });

  accountOptions(connections.command('delete'))
    .description('delete a connection and its credentials')
    .argument('<connectionId>', 'the connection', recordId)
    .option('--force', 'delete it even if a trigger, toolset or MCP server uses it')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (connectionId: number, options: AccountOptions & { force?: boolean; yes?: boolean }) => {
      const client = await accountClient(options, world);
      const question = `Connection ${connectionId} will be deleted with its credentials. This cannot be undone.`;
      await confirm(world, { yes: options.yes === true, question, word: 'delete' });
      const force = options.force === true ? { force: true } : {};
      await client.connections.delete(connectionId, force, signal);
      const deleted = { id: connectionId, isDeleted: true };
      print(world, options, deleted, () => `Deleted connection ${connectionId}.\n`);
    });
}

function methodId(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('Expected an authenticationId, such as 0.');
  return Number(value);
}

function connectionTable(connections: readonly Connection[]): string {
  return table(connections, [
    { title: 'ID', value: ({ id }) => id },
    { title: 'NAME', value: ({ connectionName }) => connectionName },
    { title: 'APPLICATION', value: ({ applicationSlug }) => applicationSlug },
    { title: 'METHOD', value: ({ authenticationName }) => authenticationName },
    { title: 'STATUS', value: ({ status }) => status },
    { title: 'DEFAULT', value: ({ isDefault }) => isDefault },
    { title: 'END USER', value: ({ endUserId }) => endUserId },
    { title: 'CREATED', value: ({ createdAt }) => moment(createdAt) },
  ]);
}

function connectionProperties(connection: Connection): string {
  return properties([
    ['Id', connection.id],
    ['Name', connection.connectionName],
    ['Description', connection.description],
    ['Application', `${connection.applicationName} (${connection.applicationSlug})`],
    ['Method', connection.authenticationName],
    ['Auth provider', connection.authProviderId],
    ['End user', connection.endUserId],
    ['Default', connection.isDefault],
    ['Status', connection.status],
    ['Reason', connection.statusReason],
    ['Licence', connection.licence.status],
    ['Created', moment(connection.createdAt)],
  ]);
}
