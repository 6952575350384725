import { Option } from 'commander';
import type { Command } from 'commander';
import type { UpdateUserRequest, User } from '@fairlead/sdk';
import { CliError, EXIT_CODES } from '../failure.ts';
import { collect, moment, print } from '../output.ts';
import { newPassword } from '../prompt.ts';
import { accountClient } from '../session/client-settings.ts';
import { table } from '../table.ts';
import type { World } from '../world.ts';
import { accountOptions, nonEmpty, passwordOptions } from './options.ts';
import type { AccountOptions } from './options.ts';

interface PasswordOptions {
  readonly password?: boolean;
  readonly passwordStdin?: boolean;
}

interface UserOptions extends AccountOptions, PasswordOptions {
  readonly email?: string;
  readonly name?: string;
  readonly role?: User['role'];
  readonly active?: boolean;
}

const ROLES: readonly User['role'][] = ['owner', 'admin', 'developer', 'member'];

const roleOption = (): Option => new Option('--role <role>', 'the role of the user').choices(ROLES);

/** `fairlead users …` */
export function addUsers(program: Command, world: World): void {
  const users = program
    .command('users')
    .helpCommand(false)
    .description('manage the users of the account (owners and admins)');
  const signal = { signal: world.signal };

  accountOptions(users.command('list'))
    .description('list the users')
    .action(async (options: AccountOptions) => {
      const client = await accountClient(options, world);
      const all = await collect(client.administration.iterateUsers({}, signal));
      print(world, options, all, () => userTable(all));
    });

  passwordOptions(accountOptions(users.command('create')))
    .description('create a user')
    .requiredOption('--email <address>', 'the user’s e-mail address', nonEmpty)
    .option('--name <name>', 'the user’s name', nonEmpty)
    .addOption(roleOption())
    .option('--no-active', 'create the user inactive')
    .action(async (options: UserOptions & { readonly email: string }) => {
      const client = await accountClient(options, world);
      const { email, name, role, active } = options;
      const password = await passwordOf(options, world);
      const user = await client.administration.createUser(
        {
          email,
          ...(name !== undefined && { name }),
          ...(role !== undefined && { role }),
          ...(active === false && { isActive: false }),
          ...(password !== undefined && { password }),
        },
        signal,
      );
      print(world, options, user, () => userTable([user]));
    });

  passwordOptions(accountOptions(users.command('update')))
    .description('change a user; omitted settings stay as they are')
    .argument('<userId>', 'the user')
    .option('--email <address>', 'the user’s e-mail address', nonEmpty)
    .option('--name <name>', 'the user’s name', nonEmpty)
    .addOption(roleOption())
    .option('--active', 'activate the user')
    .option('--no-active', 'deactivate the user: all credentials are refused')
    .action(async (userId: string, options: UserOptions) => {
      const client = await accountClient(options, world);
      const password = await passwordOf(options, world);
      const change: UpdateUserRequest = {
        ...(options.email !== undefined && { email: options.email }),
        ...(options.name !== undefined && { name: options.name }),
        ...(options.role !== undefined && { role: options.role }),
        ...(options.active !== undefined && { isActive: options.active }),
        ...(password !== undefined && { password }),
      };
      if (Object.keys(change).length === 0) {
        throw new CliError(EXIT_CODES.usage, 'There is nothing to change: pass at least one setting.');
      }
      const user = await client.administration.updateUser(userId, change, signal);
      print(world, options, user, () => userTable([user]));
    });
}

async function passwordOf(options: PasswordOptions, world: World): Promise<string | undefined> {
  const fromInput = options.passwordStdin === true;
  return fromInput || options.password === true ? await newPassword(world, { fromInput }) : undefined;
}

function userTable(users: readonly User[]): string {
  return table(users, [
    { title: 'USER', value: ({ userId }) => userId },
    { title: 'E-MAIL', value: ({ email }) => email },
    { title: 'NAME', value: ({ name }) => name },
    { title: 'ROLE', value: ({ role }) => role },
    { title: 'ACTIVE', value: ({ isActive }) => isActive },
    { title: 'CREATED', value: ({ createdAt }) => moment(createdAt) },
  ]);
}
