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
/** Servers that one call dials to find one that takes it. */
const MAX_DIALS = 10;
/** Time for a server to introduce itself, if there are others. */
const DIAL_LIMIT_MS = 5_000;

/** Whether any member may take the calls, or only one that takes writes. */
type Mode = 'read' | 'write';

/** The use of a deployment by one call. */
export interface MongoSession {
  /** Database of calls that name none. */
  readonly database: string;
  /** The time that a command may still take. */
  remainingMs(): number;
  /** Runs one command. Throws HandlerError with the server's words if it fails. */
  run(database: string, command: BsonDocument): Promise<BsonDocument>;
}

/**
 * Runs `use` with the primary of the connection's deployment, in a kept session or else a new one through the guarded egress. If it has
 * no primary, `read` takes any member. A kept session that is dead, or whose server has another role now, is replaced before the first
 * command of `use`.
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
        // A member that takes no writes reads only if the command says that it may.
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

/** Throws StaleSessionError if the server of a kept session does not answer in time, or cannot take the call. */
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

/** Finds the primary, or for `read` a member that is readable, and logs in. */
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

/** Undefined: the server cannot be reached, which is the failure of the search unless another one can be. */
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

/** The servers that are left to dial: each once, MAX_DIALS in all. */
class Search {
  readonly #queue: ServerAddress[] = [];
  readonly #known = new Set<string>();
  #dials = 0;
  /** Why the first server could not be reached that could not be. */
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

  /** Adds the members that a server knows, its primary first. */
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

/** Undefined: a server names a member by something else than an address. */
function addressIn(text: string): ServerAddress | undefined {
  try {
    return addressOf(text);
  } catch {
    return undefined;
  }
}
