import { Resolver } from 'node:dns/promises';
import { HandlerError } from '@fairlead/connector-runtime/handler';
import type { ServerAddress } from './settings.ts';

const QUERY_TIMEOUT_MS = 2_000;
const TRIES = 2;
/** Maximum number of members that DNS may list. */
const MAX_MEMBERS = 50;

/** Members of a deployment, and the authentication database if DNS states it. */
export interface SeedList {
  readonly hosts: readonly ServerAddress[];
  readonly authSource: string | undefined;
}

/**
 * Reads a deployment's members from DNS, like `mongodb+srv://`. A member must be in the domain of `name`. Throws HandlerError if there are
 * none. `servers` replace the system's name servers. The addresses of the members are checked later, when they are dialed.
 */
export async function readSeedList(
  name: string,
  signal: AbortSignal,
  servers?: readonly string[],
): Promise<SeedList> {
  const domain = name.toLowerCase().replace(/\.$/, '').split('.').slice(1);
  if (domain.length < 2 || !/^[a-z0-9._-]+$/i.test(name))
    throw new HandlerError(
      'A DNS seed list has a name of at least three parts, such as cluster0.example.mongodb.net.',
    );
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    const [records, texts] = await Promise.all([
      resolver.resolveSrv(`_mongodb._tcp.${name}`),
      resolver.resolveTxt(name).catch(() => []),
    ]);
    const hosts = records.slice(0, MAX_MEMBERS).map(({ name: host, port }) => ({ host, port }));
    const suffix = `.${domain.join('.')}`;
    const stranger = hosts.find(({ host }) => !host.toLowerCase().replace(/\.$/, '').endsWith(suffix));
    if (hosts.length === 0) throw new HandlerError(`DNS lists no members of ${name}.`);
    if (stranger !== undefined)
      throw new HandlerError(`DNS lists a member of ${name} that is in another domain: ${stranger.host}.`);
    return { hosts, authSource: authSourceOf(texts) };
  } catch (error) {
    if (error instanceof HandlerError) throw error;
    throw new HandlerError(`DNS lists no members of ${name}.`, { cause: error });
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** One TXT record may state `authSource` and `replicaSet`. */
function authSourceOf(texts: readonly (readonly string[])[]): string | undefined {
  const [first = []] = texts;
  const options = new URLSearchParams(first.join(''));
  return options.get('authSource') ?? undefined;
}
