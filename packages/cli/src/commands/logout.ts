import type { Command } from 'commander';
import { CliError, EXIT_CODES, reportOf } from '../failure.ts';
import { print, remark } from '../output.ts';
import type { OutputOptions } from '../output.ts';
import { revoke } from '../session/authorization-server.ts';
import { findUrl, sessionStore } from '../session/client-settings.ts';
import type { Session } from '../session/session-store.ts';
import type { World } from '../world.ts';

interface LogoutOptions extends OutputOptions {
  readonly url?: string;
}

/** `fairlead logout` */
export function addLogout(program: Command, world: World): void {
  program
    .command('logout')
    .description('sign out: revokes the tokens and deletes them here')
    .option('--url <url>', 'address of the installation (or FAIRLEAD_URL)')
    .option('--json', 'print JSON')
    .action((options: LogoutOptions) => logout(options, world));
}

async function logout(options: LogoutOptions, world: World): Promise<void> {
  const url = await findUrl(options, world);
  let session: Session | undefined;
  await sessionStore(world).update(world.signal, (kept) => {
    const { [url]: found, ...others } = kept.sessions;
    session = found;
    return { ...kept, sessions: others, current: kept.current === url ? null : kept.current };
  });
  if (session === undefined) throw new CliError(EXIT_CODES.denied, `Not signed in to ${url}.`);
  try {
    await revoke(session, world.signal);
  } catch (error) {
    world.signal.throwIfAborted();
    remark(world, reportOf(error).text);
    throw new CliError(
      EXIT_CODES.tryLater,
      `The tokens are deleted here, but ${url} could not be reached to revoke them.`,
    );
  }
  print(world, options, { url, isSignedIn: false }, () => `Signed out of ${url}.\n`);
}
