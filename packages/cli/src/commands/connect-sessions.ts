import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import type { ConnectSession, CreateConnectSessionRequest } from '@fairlead/sdk';
import { moment, print, remark } from '../output.ts';
import { confirm } from '../prompt.ts';
import { accountClient } from '../session/client-settings.ts';
import { properties } from '../table.ts';
import type { World } from '../world.ts';
import { accountOptions, nonEmpty, recordId } from './options.ts';
import type { AccountOptions } from './options.ts';

interface CreateOptions extends AccountOptions {
  readonly endUser: string;
  readonly application?: readonly string[];
  readonly connection?: number;
  readonly redirectUrl?: string;
  readonly allowedOrigin?: readonly string[];
  readonly locale?: string;
  readonly theme?: ConnectSession['theme']['mode'];
  readonly expiresIn?: number;
}

const THEMES: readonly ConnectSession['theme']['mode'][] = ['auto', 'light', 'dark'];

/** `fairlead connect-sessions …` and `fairlead end-users …` */
export function addConnectSessions(program: Command, world: World): void {
  const sessions = program
    .command('connect-sessions')
    .helpCommand(false)
    .description(
      'manage the sessions in which end users, the customers of your product, connect applications',
    );
  const signal = { signal: world.signal };

  accountOptions(sessions.command('create'))
    .description('open a session; shows the address of its hosted page and its token once')
    .requiredOption('--end-user <id>', 'your id of your customer', nonEmpty)
    .option('--application <slug...>', 'the only applications to offer')
    .option('--connection <id>', 'a connection of the end user to renew', recordId)
    .option('--redirect-url <url>', 'where the hosted page leads in the end', nonEmpty)
    .option('--allowed-origin <origin...>', 'the origins whose pages may read the status of the session')
    .option(
      '--locale <tag>',
      'the language of the hosted page, such as fr (default: the browser’s)',
      nonEmpty,
    )
    .addOption(new Option('--theme <mode>', 'the colours of the hosted page').choices(THEMES))
    .option('--expires-in <minutes>', 'how long the session is open, 5 to 10080 (default: 30)', minutes)
    .action(async (options: CreateOptions) => {
      const client = await accountClient(options, world);
      const session = await client.endUsers.createConnectSession(requestOf(options), signal);
      print(world, options, session, () =>
        properties([
          ['Session', session.sessionId],
          ['Page', session.connectUrl],
          ['Token', session.token],
          ['Expires', moment(session.expiresAt)],
        ]),
      );
      remark(world, 'Give the address to that end user only: whoever has it can connect as them.');
    });

  accountOptions(sessions.command('get'))
    .description('show a session: its status and what was connected in it')
    .argument('<sessionId>', 'the session', nonEmpty)
    .action(async (sessionId: string, options: AccountOptions) => {
      const client = await accountClient(options, world);
      const session = await client.endUsers.getConnectSession(sessionId, signal);
      print(world, options, session, () => sessionProperties(session));
    });

  accountOptions(sessions.command('delete'))
    .description('end a session: nothing more can be connected in it; it can still be read')
    .argument('<sessionId>', 'the session', nonEmpty)
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (sessionId: string, options: AccountOptions & { yes?: boolean }) => {
      const client = await accountClient(options, world);
      const question = `Nothing more can be connected in session ${sessionId}. This cannot be undone.`;
      await confirm(world, { yes: options.yes === true, question, word: 'end' });
      await client.endUsers.endConnectSession(sessionId, signal);
      print(world, options, { sessionId, isEnded: true }, () => `Ended session ${sessionId}.\n`);
    });

  const endUsers = program
    .command('end-users')
    .helpCommand(false)
    .description('manage what belongs to end users, the customers of your product');

  accountOptions(endUsers.command('delete'))
    .description('delete the connections and connect sessions of an end user, in use or not')
    .argument('<endUserId>', 'your id of your customer', nonEmpty)
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (endUserId: string, options: AccountOptions & { yes?: boolean }) => {
      const client = await accountClient(options, world);
      const question = `All connections and connect sessions of ${endUserId} will be deleted. This cannot be undone.`;
      await confirm(world, { yes: options.yes === true, question, word: 'delete' });
      await client.endUsers.delete(endUserId, signal);
      print(world, options, { endUserId, isDeleted: true }, () => `Deleted what was ${endUserId}’s.\n`);
    });
}

function requestOf(options: CreateOptions): CreateConnectSessionRequest {
  const { application, connection, redirectUrl, allowedOrigin, locale, theme, expiresIn } = options;
  return {
    endUserId: options.endUser,
    ...(application !== undefined && { applicationSlugs: [...application] }),
    ...(connection !== undefined && { connectionId: connection }),
    ...(redirectUrl !== undefined && { redirectUrl }),
    ...(allowedOrigin !== undefined && { allowedOrigins: [...allowedOrigin] }),
    ...(locale !== undefined && { locale }),
    ...(theme !== undefined && { theme: { mode: theme } }),
    ...(expiresIn !== undefined && { expiresInMinutes: expiresIn }),
  };
}

function minutes(value: string): number {
  if (!/^\d{1,5}$/.test(value)) throw new InvalidArgumentError('Expected a number of minutes.');
  return Number(value);
}

function sessionProperties(session: ConnectSession): string {
  return properties([
    ['Session', session.sessionId],
    ['End user', session.endUserId],
    ['Status', session.status],
    ['Connections', session.connections.map(({ connectionId }) => connectionId).join(', ')],
    ['Last error', session.lastError],
    ['Expires', moment(session.expiresAt)],
  ]);
}
