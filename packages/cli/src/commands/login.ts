import { Fairlead } from '@fairlead/sdk';
import type { Command } from 'commander';
import * as oauth from 'openid-client';
import { CliError, EXIT_CODES, reportOf } from '../failure.ts';
import { print, remark } from '../output.ts';
import type { OutputOptions } from '../output.ts';
import { discover, ended, findIssuer, revoke, sessionOf } from '../session/authorization-server.ts';
import { findUrl, isPlain, sessionStore } from '../session/client-settings.ts';
import type { Session } from '../session/session-store.ts';
import { printable } from '../table.ts';
import type { World } from '../world.ts';

interface LoginOptions extends OutputOptions {
  readonly url?: string;
  readonly scope?: string;
  readonly browser: boolean;
  readonly allowHttp?: boolean;
}

/** Scopes of OpenID Connect: they identify the person, which the API does itself. */
const OPENID_SCOPES = new Set(['openid', 'profile', 'email', 'address', 'phone']);

/** How the device flow ends without a token (RFC 8628), as text for people. */
const REFUSALS: Readonly<Record<string, string>> = {
  access_denied: 'The sign-in was denied.',
  expired_token: 'The code expired. Run fairlead login for a new one.',
};

/** `fairlead login` */
export function addLogin(program: Command, world: World): void {
  program
    .command('login')
    .description('sign in with your browser, using a code shown here')
    .option('--url <url>', 'address of the installation (or FAIRLEAD_URL)')
    .option('--scope <scopes>', 'scopes of the sign-in, separated by spaces (default: all that you have)')
    .option('--no-browser', 'print the address without opening a browser')
    .option('--allow-http', 'sign in over an unencrypted connection')
    .option('--json', 'print JSON')
    .action((options: LoginOptions) => login(options, world));
}

async function login(options: LoginOptions, world: World): Promise<void> {
  const url = await findUrl(options, world);
  if (isPlain(url) && options.allowHttp !== true) {
    throw new CliError(EXIT_CODES.usage, `${url} is not https: others could read the tokens (--allow-http).`);
  }
  const session = await signIn(url, options, world);
  const client = new Fairlead({ baseUrl: url, accessToken: session.accessToken });
  const who = await client.auth.whoami({ signal: world.signal });
  let replaced: Session | undefined;
  await sessionStore(world).update(world.signal, (kept) => {
    replaced = kept.sessions[url];
    return { ...kept, current: url, sessions: { ...kept.sessions, [url]: session } };
  });
  // The sign-in could not be ended later, because its tokens are no longer stored anywhere.
  if (replaced !== undefined) {
    await revoke(replaced, world.signal).catch((error: unknown) => remark(world, reportOf(error).text));
  }
  print(
    world,
    options,
    who,
    () => printable(`Signed in to ${url} as ${who.userEmail} of ${who.accountName}.`) + '\n',
  );
}

/** The device flow (RFC 8628), for an access token of the REST API (RFC 8707). */
async function signIn(url: string, options: LoginOptions, world: World): Promise<Session> {
  const protectedResource = await findIssuer(url, world.signal);
  const server = await discover(protectedResource.issuer, world.signal);
  const { resource } = protectedResource;
  const scope = options.scope ?? everyScope(server.serverMetadata());
  try {
    const device = await oauth.initiateDeviceAuthorization(server, { scope, resource });
    remark(world, printable(`Open ${device.verification_uri} and enter the code ${device.user_code}`));
    const address = device.verification_uri_complete ?? device.verification_uri;
    if (options.browser && world.isTerminal && /^https?:\/\//.test(address)) world.openBrowser(address);
    const tokens = await oauth.pollDeviceAuthorizationGrant(
      server,
      device,
      { resource },
      { signal: world.signal },
    );
    return sessionOf(tokens, { ...protectedResource, now: world.now() });
  } catch (error) {
    world.signal.throwIfAborted();
    const reason = error instanceof oauth.ResponseBodyError ? REFUSALS[error.error] : undefined;
    if (reason !== undefined) throw new CliError(EXIT_CODES.denied, reason, { cause: error });
    throw ended(error, 'The sign-in failed');
  }
}

function everyScope(metadata: Readonly<oauth.ServerMetadata>): string {
  const supported = metadata.scopes_supported ?? [];
  const ours = supported.filter((scope) => !OPENID_SCOPES.has(scope));
  // Requested by name, because neither is a default of any client.
  return [...new Set([...ours, 'administration', 'offline_access'])].join(' ');
}
