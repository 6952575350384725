import { HandlerError } from '@fairlead/connector-runtime/handler';
import type { HandlerCall } from '@fairlead/connector-runtime/handler';
import { StaleSessionError, withPooledSession } from '@fairlead/connector-runtime/sessions/session-pool';
import type { SessionKind } from '@fairlead/connector-runtime/sessions/session-pool';
import { REUSE_LIMIT_MS, statementTime } from '../postgresql/session-time.ts';
import { requireOk } from './failure.ts';
import { dial, logIn } from './member.ts';
import type { Hello, Member } from './member.ts';
import { readSeedList } from './seed-list.ts';
import { addressOf, mongoSettings } from './settings.ts';
import type { MongoSettings, ServerAddress } from './settings.ts';
import type { BsonDocument } from './wire.ts';

const SESSIONS: SessionKind = { name: 'mongodb', idleMs: 30_000, idlePerConnection: 5 };
/** Maximum number of servers that one call dials to find a suitable one. */
const MAX_DIALS = 10;
/** Time for a server to answer `hello` if there are other servers to try. */
const DIAL_LIMIT_MS = 5_000;

/** `read`: any member can take the call; `write`: only one that accepts writes. */
type Mode = 'read' | 'write';

/** A call's access to a deployment. */
export interface MongoSession {
  /** The database for calls that name none. */
  readonly database: string;
  /** Remaining time for a command, in milliseconds. */
  remainingMs(): number;
  /** Runs one command. Throws HandlerError with the server's words if it fails. */
  run(database: string, command: BsonDocument): Promise<BsonDocument>;
}

/**
 * Runs `use` with the primary of the connection's deployment, in a kept session or else in a new one through the guarded egress. If there
 * is no primary, `read` takes any readable member. A kept session is replaced before the first command of `use` if it is dead, or if its
 * server has changed its role.
 */
export async function withMongoSession<T>(
  call: HandlerCall,
  mode: Mode,
  use: (session: MongoSession) => Promise<T>,
): Promise<T> {
  const remainingMs = statementTime(call);
  const settings = mongoSettings(call.credential.fields);
  return withPooledSession(call.sessions, {
    kind: SESSIONS,
    key: call.sessionKey,
    signal: call.signal,
    open: () => open(call, settings, mode),
    work: async (member, isReused) => {
      const cut = (): void => member.close();
      call.signal.addEventListener('abort', cut, { once: true });
      try {
        if (call.signal.aborted) cut();
        if (isReused) await requireFresh(member, mode, remainingMs());
        await call.beforeSend?.(isReused);
        // A member that does not accept writes serves reads only if the command permits it.
        const $readPreference = member.hello.isWritable ? undefined : { mode: 'secondaryPreferred' };
        return await use({
          database: settings.database,
          remainingMs,
          run: async (database, command) =>
            requireOk(await member.connection.command(database, { ...command, $readPreference })),
        });
      } finally {
        call.signal.removeEventListener('abort', cut);
      }
    },
  });
}

/** Throws StaleSessionError if the server of a kept session does not answer in time, or is no longer suitable. */
async function requireFresh(member: Member, mode: Mode, remainingMs: number): Promise<void> {
  const timer = setTimeout(() => member.close(), Math.min(REUSE_LIMIT_MS, remainingMs / 4));
  try {
    await member.greet();
  } catch (error) {
    throw new StaleSessionError('', { cause: error });
  } finally {
    clearTimeout(timer);
  }
  if (!takes(member, mode)) throw new StaleSessionError();
}

function takes({ hello }: Member, mode: Mode): boolean {
  return mode === 'write' ? hello.isWritable : hello.isReadable;
}

/** Finds the primary, or for `read` otherwise a readable member, and logs in. */
async function open(call: HandlerCall, given: MongoSettings, mode: Mode): Promise<Member> {
  const { hosts, settings } = await seedsOf(call, given);
  const search = new Search(hosts);
  let reserve: Member | undefined;
  for (let address = search.next(); address !== undefined; address = search.next()) {
    const member = await tryDial(call, settings, address, search);
    if (member === undefined) continue;
    if (member.hello.isWritable) {
      reserve?.close();
      return loggedIn(call, settings, member);
    }
    search.add(member.hello);
    if (reserve === undefined && takes(member, mode)) reserve = member;
    else member.close();
  }
  if (reserve !== undefined) return loggedIn(call, settings, reserve);
  throw (
    search.failure ??
    new HandlerError('No server of the deployment is a primary, so none takes the call now.')
  );
}

async function seedsOf(
  call: HandlerCall,
  settings: MongoSettings,
): Promise<{ readonly hosts: readonly ServerAddress[]; readonly settings: MongoSettings }> {
  const { seeds } = settings;
  if ('hosts' in seeds) return { hosts: seeds.hosts, settings };
  const { hosts, authSource } = await readSeedList(seeds.srvName, call.signal);
  return { hosts, settings: { ...settings, authSource: settings.authSource ?? authSource } };
}

/** Dials a server; undefined if it cannot be reached. The search fails with the first such error, unless another server can be reached. */
async function tryDial(
  call: HandlerCall,
  settings: MongoSettings,
  address: ServerAddress,
  search: Search,
): Promise<Member | undefined> {
  const limit = search.hasNext ? [AbortSignal.timeout(DIAL_LIMIT_MS)] : [];
  try {
    return await dial(call, settings, address, AbortSignal.any([call.signal, ...limit]));
  } catch (error) {
    if (call.signal.aborted) throw error;
    search.failure ??= error;
    return undefined;
  }
}

async function loggedIn(call: HandlerCall, settings: MongoSettings, member: Member): Promise<Member> {
  const cut = (): void => member.close();
  call.signal.addEventListener('abort', cut, { once: true });
  try {
    if (call.signal.aborted) cut();
    await logIn(member, settings);
    return member;
  } catch (error) {
    member.close();
    throw error;
  } finally {
    call.signal.removeEventListener('abort', cut);
  }
}

/** The servers still to dial: each once, and at most MAX_DIALS. */
class Search {
  readonly #queue: ServerAddress[] = [];
  readonly #known = new Set<string>();
  #dials = 0;
  /** The error of the first server that could not be reached. */
  failure: unknown;

  constructor(seeds: readonly ServerAddress[]) {
    for (const seed of seeds) this.#push(seed);
  }

  get hasNext(): boolean {
    return this.#queue.length > 0 && this.#dials < MAX_DIALS;
  }

  next(): ServerAddress | undefined {
    if (!this.hasNext) return undefined;
    this.#dials += 1;
    return this.#queue.shift();
  }

  /** Adds the members that a server reports, its primary first. */
  add({ primary, hosts }: Hello): void {
    const addresses = [...(primary === undefined ? [] : [primary]), ...hosts].slice(0, MAX_DIALS);
    for (const text of addresses) {
      const address = addressIn(text);
      if (address !== undefined) this.#push(address, text === primary);
    }
  }

  #push(address: ServerAddress, isFirst = false): void {
    const name = `${address.host.toLowerCase()}:${address.port}`;
    if (this.#known.has(name)) return;
    this.#known.add(name);
    if (isFirst) this.#queue.unshift(address);
    else this.#queue.push(address);
  }
}

/** Undefined if a server reports a member whose name is not an address. */
function addressIn(text: string): ServerAddress | undefined {
  try {
    return addressOf(text);
  } catch {
    return undefined;
  }
}
