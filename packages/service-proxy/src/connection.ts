import { Agent } from 'node:http';
import { connect as connectTcp, isIP } from 'node:net';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { CLIENT_IDLE_MS } from '@fairlead/connect-fast/http-channel';
import { limitConnecting } from '@fairlead/connect-fast/limit-connecting';

/** Connects to the host and port of an http or https address. Rejects if that fails, takes too long, or `signal` aborts before. */
export async function openConnection(address: URL, signal: AbortSignal): Promise<Socket> {
  const isEncrypted = address.protocol === 'https:';
  // Without the brackets of an IPv6 address.
  const host = address.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(address.port) || (isEncrypted ? 443 : 80);
  const event = isEncrypted ? 'secureConnect' : 'connect';
  const socket = isEncrypted
    ? connectTls({ host, port, ALPNProtocols: ['http/1.1'], ...(isIP(host) === 0 && { servername: host }) })
    : connectTcp({ host, port });
  limitConnecting(socket.setNoDelay(true), event);
  const release = closeOnAbort(socket, signal);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once(event, resolve);
      // This listener stays, because a connection may break before a request has listeners on it.
      socket.on('error', reject);
    });
    return socket;
  } finally {
    release();
  }
}

/** Closes a connection when `signal` aborts, until the returned function is called. */
export function closeOnAbort(socket: Socket, signal: AbortSignal): () => void {
  const close = (): void => void socket.destroy(new Error('The request has ended.'));
  const release = (): void => signal.removeEventListener('abort', close);
  signal.addEventListener('abort', close);
  socket.once('close', release);
  if (signal.aborted) close();
  return () => {
    release();
    socket.off('close', release);
  };
}

/** Sends requests over a connection that is already open, one after the other. */
export class ConnectionAgent extends Agent {
  readonly #connection: Socket;
  readonly #keep: () => boolean;

  /**
   * `keep` is called at the end of a response if the connection can be reused, and returns whether it will be;
   * otherwise it is closed. Default: closed. An idle connection is closed after CLIENT_IDLE_MS.
   */
  constructor(connection: Socket, keep: () => boolean = () => false) {
    super({ keepAlive: true, timeout: CLIENT_IDLE_MS });
    this.#connection = connection;
    this.#keep = keep;
  }

  override createConnection(): Socket {
    return this.#connection;
  }

  override keepSocketAlive(socket: Duplex): boolean {
    super.keepSocketAlive(socket);
    return this.#keep();
  }
}
