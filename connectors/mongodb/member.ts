import { once } from 'node:events';
import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import { arch, platform } from 'node:os';
import { connect as startTls } from 'node:tls';
import type { HandlerCall } from '@fairlead/connector-runtime/handler';
import type { PooledSession } from '@fairlead/connector-runtime/sessions/session-pool';
import { dialFailure, requireOk } from './failure.ts';
import { logInByScram } from './scram.ts';
import type { MongoSettings, ServerAddress } from './settings.ts';
import { WireConnection } from './wire.ts';
import type { BsonDocument } from './wire.ts';

/** The values read from a server's `hello`. */
export interface Hello {
  /** Whether it accepts writes: a primary, a server without a replica set, or a router of a cluster. */
  readonly isWritable: boolean;
  /** Whether it accepts reads. */
  readonly isReadable: boolean;
  /** Address of the primary, according to this server. */
  readonly primary: string | undefined;
  /** Addresses of the members, according to this server. */
  readonly hosts: readonly string[];
  /** Mechanisms by which the user may log in; empty: the server does not say. */
  readonly mechanisms: readonly string[];
}

/** A connection to one server of a deployment, used by one call at a time. */
export class Member implements PooledSession {
  readonly connection: WireConnection;
  hello: Hello;

  constructor(connection: WireConnection, hello: Hello) {
    this.connection = connection;
    this.hello = hello;
  }

  get lost(): AbortSignal {
    return this.connection.lost;
  }

  /** Reads `hello` again, which also proves that the server still responds. */
  async greet(): Promise<void> {
    this.hello = helloOf(requireOk(await this.connection.command('admin', { hello: 1 })));
  }

  /** Nothing to reset: a call closes its own cursors, and commands leave no other state. */
  async reset(): Promise<void> {}

  close(): void {
    this.connection.close();
  }
}

/** Connects to a server and reads its `hello`; does not log in. Throws HandlerError and EgressError. */
export async function dial(
  call: HandlerCall,
  settings: MongoSettings,
  { host, port }: ServerAddress,
  signal: AbortSignal,
): Promise<Member> {
  const socket = await call.egress.openSocket(host, port, signal);
  const cut = (): void => void socket.destroy();
  signal.addEventListener('abort', cut, { once: true });
  if (signal.aborted) cut();
  try {
    const stream = settings.tls === false ? socket : await encrypted(socket, host, settings.tls);
    const connection = new WireConnection(stream);
    const user = settings.login?.user;
    const hello = requireOk(
      await connection.command('admin', {
        hello: 1,
        client: {
          driver: { name: 'fairlead', version: '1' },
          os: { type: platform(), architecture: arch() },
        },
        ...(user === undefined ? {} : { saslSupportedMechs: `${authSourceOf(settings)}.${user}` }),
      }),
    );
    return new Member(connection, helloOf(hello));
  } catch (error) {
    socket.destroy();
    throw dialFailure(error);
  } finally {
    signal.removeEventListener('abort', cut);
  }
}

/** Logs in as the user of the connection, if it has one. */
export async function logIn({ connection, hello }: Member, settings: MongoSettings): Promise<void> {
  if (settings.login !== undefined) {
    const isOld = hello.mechanisms.length > 0 && !hello.mechanisms.includes('SCRAM-SHA-256');
    const mechanism = isOld ? 'SCRAM-SHA-1' : 'SCRAM-SHA-256';
    const source = authSourceOf(settings);
    await logInByScram(async (command) => requireOk(await connection.command(source, command)), {
      ...settings.login,
      mechanism,
    });
  }
  connection.acceptLargeMessages();
}

function authSourceOf({ authSource }: MongoSettings): string {
  return authSource ?? 'admin';
}

async function encrypted(
  socket: Socket,
  host: string,
  options: Exclude<MongoSettings['tls'], false>,
): Promise<Socket> {
  const name = isIP(host) === 0 ? { servername: host } : {};
  const stream = startTls({ ...options, ...name, host, socket });
  socket.once('close', () => stream.destroy());
  await once(stream, 'secureConnect');
  return stream;
}

function helloOf(reply: BsonDocument): Hello {
  const isRouter = reply['msg'] === 'isdbgrid';
  const isWritable = reply['isWritablePrimary'] === true || isRouter;
  return {
    isWritable,
    isReadable: isWritable || reply['secondary'] === true,
    primary: typeof reply['primary'] === 'string' ? reply['primary'] : undefined,
    hosts: textsOf(reply['hosts']),
    mechanisms: textsOf(reply['saslSupportedMechs']),
  };
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
