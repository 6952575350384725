import type { Command } from 'commander';
import { print } from '../output.ts';
import { accountClient } from '../session/client-settings.ts';
import { properties } from '../table.ts';
import type { World } from '../world.ts';
import { accountOptions } from './options.ts';
import type { AccountOptions } from './options.ts';

/** `fairlead whoami` */
export function addWhoami(program: Command, world: World): void {
  accountOptions(program.command('whoami'))
    .description('show whose credential is in use, and its permissions')
    .action(async (options: AccountOptions) => {
      const client = await accountClient(options, world);
      const who = await client.auth.whoami({ signal: world.signal });
      print(world, options, who, () =>
        properties([
          ['Account', `${who.accountName} (${who.accountId})`],
          ['User', `${who.userName} <${who.userEmail}> (${who.userId})`],
          ['Roles', who.roles.join(', ')],
          ['Credential', `${who.credentialType} ${who.credentialId}`],
          ['Permissions', who.permissions.join(', ')],
          ['Scopes', who.scopes?.join(', ') ?? 'those of the role'],
          ['Toolset', who.toolsetId ?? 'not confined to one'],
        ]),
      );
    });
}
