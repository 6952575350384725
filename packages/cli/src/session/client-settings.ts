import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Fairlead } from '@fairlead/sdk';
import type { CredentialOptions } from '@fairlead/sdk';
import { parseExactly } from '../exact-json.ts';
import { CliError, EXIT_CODES } from '../failure.ts';
import { findInstance } from '../instance.ts';
import type { World } from '../world.ts';
import { accessTokenOf } from './access-token.ts';
import { configFolder, SessionStore } from './session-store.ts';

/** The options of every command that calls an installation. */
export interface ConnectionOptions {
  readonly url?: string;
  readonly apiKey?: string;
}

/** The sign-ins of the person who runs the command. */
export function sessionStore(world: World): SessionStore {
  return new SessionStore(configFolder(world.environment, world.platform));
}

/**
 * The address of the installation: `--url`, FAIRLEAD_URL, the last one that the person signed in to, else the instance that `npm start`
 * runs. Throws a usage error if there is none.
 */
export async function findUrl(options: ConnectionOptions, world: World): Promise<string> {
  const address = options.url ?? nonEmpty(world.environment['FAIRLEAD_URL']);
  if (address !== undefined) return parseUrl(address);
  const { current } = await sessionStore(world).read();
  if (current !== null) return current;
  const instance = await findInstance(resolve(world.cwd, world.defaultData));
  if (instance !== undefined) return parseUrl(instance.baseUrl);
  throw new CliError(
    EXIT_CODES.usage,
    'Which installation? Sign in with fairlead login --url <url>, or name it with --url or FAIRLEAD_URL.',
  );
}

/** An address normalized for storage and comparison. Throws a usage error if tokens and keys must not be sent to it. */
export function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '') {
    throw new CliError(EXIT_CODES.usage, `Not an http or https address: ${text}`);
  }
  return url.href.replace(/\/+$/, '');
}

/** Whether data that is sent there can be read in transit. */
export function isPlain(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/** The API key of the options or of FAIRLEAD_API_KEY. */
export function findApiKey(options: ConnectionOptions, world: World): string | undefined {
  return nonEmpty(options.apiKey) ?? nonEmpty(world.environment['FAIRLEAD_API_KEY']);
}

/** A client for the account that the person is signed in to, or whose API key was given. */
export async function accountClient(options: ConnectionOptions, world: World): Promise<Fairlead> {
  const url = await findUrl(options, world);
  const apiKey = findApiKey(options, world);
  return clientOf(
    url,
    apiKey === undefined ? { accessToken: accessTokenOf(sessionStore(world), url, world) } : { apiKey },
  );
}

/**
 * A client for the operator of the installation. Throws a CliError if neither FAIRLEAD_OPERATOR_KEY nor
 * FAIRLEAD_OPERATOR_KEY_FILE, the path of a file that holds the key, is set.
 */
export async function operatorClient(options: ConnectionOptions, world: World): Promise<Fairlead> {
  const file = nonEmpty(world.environment['FAIRLEAD_OPERATOR_KEY_FILE']);
  const apiKey =
    nonEmpty(world.environment['FAIRLEAD_OPERATOR_KEY']) ??
    (file === undefined ? undefined : nonEmpty((await readFile(resolve(world.cwd, file), 'utf8')).trim()));
  if (apiKey === undefined) {
    throw new CliError(EXIT_CODES.denied, 'Only the operator may do that: set FAIRLEAD_OPERATOR_KEY.');
  }
  return clientOf(await findUrl(options, world), { apiKey });
}

function clientOf(baseUrl: string, credential: CredentialOptions): Fairlead {
  return new Fairlead({ baseUrl, ...credential, parseJson: parseExactly });
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
