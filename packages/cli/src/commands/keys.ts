import type { Command } from 'commander';
import type { ApiKey, Permission } from '@fairlead/sdk';
import { collect, moment, print, remark } from '../output.ts';
import { confirm } from '../prompt.ts';
import { accountClient } from '../session/client-settings.ts';
import { properties, table } from '../table.ts';
import type { World } from '../world.ts';
import { accountOptions, futureMoment, names, nonEmpty } from './options.ts';
import type { AccountOptions } from './options.ts';

interface NewKeyOptions {
  readonly name: string;
  readonly user?: string;
  readonly scopes?: readonly string[];
  readonly toolset?: string;
  readonly expires?: string;
}

/** `fairlead keys …` */
export function addKeys(program: Command, world: World): void {
  const keys = program
    .command('keys')
    .helpCommand(false)
    .description('manage the API keys of the account (owners and admins)');
  const signal = { signal: world.signal };

  accountOptions(keys.command('list'))
    .description('list the keys that are not revoked')
    .action(async (options: AccountOptions) => {
      const client = await accountClient(options, world);
      const all = await collect(client.administration.iterateApiKeys({}, signal));
      print(world, options, all, () => keyTable(all));
    });

  accountOptions(keys.command('create'))
    .description('create a key; shows it once')
    .requiredOption('--name <name>', 'what the key is for', nonEmpty)
    .option('--user <userId>', 'the user that the key acts as (default: you)', nonEmpty)
    .option(
      '--scopes <permissions>',
      'the permissions that it keeps, such as tools.read,tools.execute',
      names,
    )
    .option('--toolset <toolsetId>', 'confine the key to this toolset, with which it ends', nonEmpty)
    .option('--expires <when>', 'a date, or a duration such as 90d', futureMoment(world.now))
    .action(async (options: AccountOptions & NewKeyOptions) => {
      const client = await accountClient(options, world);
      const { name, user, scopes, toolset, expires } = options;
      const key = await client.administration.createApiKey(
        {
          name,
          ...(user !== undefined && { userId: user }),
          // Not checked here: the service knows which permissions exist.
          ...(scopes !== undefined && { scopes: scopes as Permission[] }),
          ...(toolset !== undefined && { toolsetId: toolset }),
          ...(expires !== undefined && { expiresAt: expires }),
        },
        signal,
      );
      print(world, options, key, () =>
        properties([
          ['Key', key.apiKey],
          ['Id', key.id],
          ['Name', key.name],
          ['User', key.userId],
          ['Scopes', key.scopes?.join(', ') ?? 'all of its user’s'],
          ['Toolset', key.toolsetId ?? 'not confined to one'],
          ['Expires', moment(key.expiresAt)],
        ]),
      );
      remark(world, 'Store the key now: it is not shown again.');
    });

  accountOptions(keys.command('revoke'))
    .description('revoke a key permanently')
    .argument('<keyId>', 'the key')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (keyId: string, options: AccountOptions & { yes?: boolean }) => {
      const client = await accountClient(options, world);
      const question = `Calls with ${keyId} will be refused. This cannot be undone.`;
      await confirm(world, { yes: options.yes === true, question, word: 'revoke' });
      await client.administration.revokeApiKey(keyId, signal);
      print(world, options, { id: keyId, isRevoked: true }, () => `Revoked ${keyId}.\n`);
    });
}

function keyTable(keys: readonly ApiKey[]): string {
  return table(keys, [
    { title: 'ID', value: ({ id }) => id },
    { title: 'NAME', value: ({ name }) => name },
    { title: 'KEY', value: ({ maskedKey }) => maskedKey },
    { title: 'USER', value: ({ userId }) => userId },
    { title: 'SCOPES', value: ({ scopes }) => scopes?.join(',') ?? 'all' },
    { title: 'TOOLSET', value: ({ toolsetId }) => toolsetId ?? '' },
    { title: 'EXPIRES', value: ({ expiresAt }) => moment(expiresAt) },
    { title: 'LAST USED', value: ({ lastUsedAt }) => moment(lastUsedAt) },
    { title: 'CREATED', value: ({ createdAt }) => moment(createdAt) },
  ]);
}
