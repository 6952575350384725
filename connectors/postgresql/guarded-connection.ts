import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { Connection } from 'pg';
import { CallFailure } from '@fairlead/connector-runtime/failure';
import { HandlerError } from '@fairlead/connector-runtime/handler';
import { BackendMessages } from './backend-messages.ts';

/** The members of pg's Connection that its types omit. */
interface Listening {
  /** Attaches the driver's parser to the plain or encrypted stream of the connection. */
  attachListeners(stream: EventEmitter): void;
}

// The types of pg omit attachListeners.
const driver = Connection.prototype as unknown as Listening;

/**
 * pg's connection with a guarded parser. The parser gets only messages that BackendMessages has checked. If the parser or a listener
 * throws, the stream is destroyed with that error, which fails the running statement. Otherwise the exception would occur in a listener of
 * the socket and end the process.
 */
export class GuardedConnection extends Connection implements Listening {
  #messages: BackendMessages | undefined;

  /** As BackendMessages.startCall. */
  startCall(): void {
    this.#messages?.startCall();
  }

  /** As BackendMessages.endCall. */
  endCall(): void {
    this.#messages?.endCall();
  }

  /** Called by pg once the stream is ready: for TLS, after its handshake. */
  attachListeners(stream: Duplex): void {
    const checked = new EventEmitter();
    driver.attachListeners.call(this, checked);
    const messages = new BackendMessages((message) => checked.emit('data', message));
    this.#messages = messages;
    stream.on('data', (chunk: Buffer) => {
      if (stream.destroyed) return;
      try {
        messages.push(chunk);
      } catch (error) {
        stream.destroy(
          error instanceof CallFailure
            ? error
            : new HandlerError('The server does not follow the PostgreSQL protocol.', { cause: error }),
        );
      }
    });
  }
}
