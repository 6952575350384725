import type { Duplex } from 'node:stream';
import { deserialize, serialize } from 'bson';
import { CallFailure } from '@fairlead/connector-runtime/failure';
import { HandlerError } from '@fairlead/connector-runtime/handler';
import { BsonError, requireBsonLimits } from './bson-limits.ts';

export type BsonDocument = Readonly<Record<string, unknown>>;

const OP_MSG = 2013;
const HEADER_BYTES = 16;
/** Bytes of the header, the flags, and the section's kind. */
const PREFIX_BYTES = HEADER_BYTES + 5;
/** Largest message. A document has at most 16 MiB; a reply has little more than one document, or than a batch of that size. */
const MAX_MESSAGE_BYTES = 17 * 1024 * 1024;
/** Largest message of a server before the login. */
const MAX_LOGIN_MESSAGE_BYTES = 64 * 1024;

interface Waiting {
  readonly requestId: number;
  readonly resolve: (reply: BsonDocument) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A connection to one MongoDB server over an open stream. Commands are sent one at a time, each as one message of the wire protocol
 * (OP_MSG). The stream is closed if the server violates the protocol, or sends an unrequested message.
 */
export class WireConnection {
  readonly #stream: Duplex;
  readonly #lost = new AbortController();
  #maxBytes = MAX_LOGIN_MESSAGE_BYTES;
  #requestId = 0;
  #waiting: Waiting | undefined;
  /** The message that is being received: first its header, then a buffer for the whole message. */
  #message = Buffer.alloc(HEADER_BYTES);
  #received = 0;

  constructor(stream: Duplex) {
    this.#stream = stream;
    stream.on('data', (chunk: Buffer) => this.#receive(chunk));
    stream.on('error', () => undefined);
    stream.once('close', () => this.#end());
    stream.once('end', () => stream.destroy());
  }

  /** Aborts when the connection has ended. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Called after the login; permits large messages from now on. */
  acceptLargeMessages(): void {
    this.#maxBytes = MAX_MESSAGE_BYTES;
  }

  /**
   * Sends a command and resolves to the server's reply, whether or not it reports an error. Throws HandlerError if the connection is lost.
   */
  async command(database: string, command: BsonDocument): Promise<BsonDocument> {
    const { promise, resolve, reject } = Promise.withResolvers<BsonDocument>();
    if (this.#waiting !== undefined) throw new Error('A command is still at work.');
    const body = serialize({ ...command, $db: database }, { ignoreUndefined: true });
    if (this.#lost.signal.aborted || this.#stream.destroyed) throw lostError(this.#stream.errored);
    this.#requestId += 1;
    this.#waiting = { requestId: this.#requestId, resolve, reject };
    const prefix = Buffer.alloc(PREFIX_BYTES);
    prefix.writeInt32LE(PREFIX_BYTES + body.length, 0);
    prefix.writeInt32LE(this.#requestId, 4);
    prefix.writeInt32LE(OP_MSG, 12);
    this.#stream.write(Buffer.concat([prefix, body]));
    return promise;
  }

  /** Ends the connection at once. */
  close(): void {
    this.#stream.destroy();
  }

  #receive(chunk: Buffer): void {
    if (this.#stream.destroyed) return;
    try {
      this.#read(chunk);
    } catch (error) {
      this.#fail(
        error instanceof CallFailure
          ? error
          : new HandlerError('The server does not follow the MongoDB protocol.', { cause: error }),
      );
    }
  }

  #read(chunk: Buffer): void {
    if (this.#waiting === undefined) throw new BsonError('Nobody asked for this message.');
    let at = this.#take(chunk, 0);
    if (this.#received < this.#message.length) return;
    if (this.#received === HEADER_BYTES) {
      this.#message = this.#spaceFor(this.#message);
      at = this.#take(chunk, at);
    }
    if (at < chunk.length) throw new BsonError('A message has something after its end.');
    if (this.#received < this.#message.length) return;
    const { requestId, resolve } = this.#waiting;
    const reply = replyOf(this.#message, requestId);
    this.#waiting = undefined;
    this.#message = Buffer.alloc(HEADER_BYTES);
    this.#received = 0;
    resolve(reply);
  }

  /** Copies the missing part of the message from a chunk; returns the position in the chunk after it. */
  #take(chunk: Buffer, at: number): number {
    const copied = chunk.copy(this.#message, this.#received, at);
    this.#received += copied;
    return at + copied;
  }

  /** A buffer for the whole message, which begins with its header. */
  #spaceFor(header: Buffer): Buffer<ArrayBuffer> {
    const length = header.readInt32LE(0);
    if (length < PREFIX_BYTES + 5) throw new BsonError('A message is too short.');
    if (length > this.#maxBytes)
      throw new HandlerError(
        `The server sends more than ${Math.floor(this.#maxBytes / 1024)} KiB at once. Request fewer documents or fields.`,
      );
    const space = Buffer.alloc(length);
    header.copy(space);
    return space;
  }

  #fail(error: CallFailure): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#stream.destroy();
    waiting?.reject(error);
  }

  #end(): void {
    this.#lost.abort();
    this.#fail(lostError(this.#stream.errored));
  }
}

function lostError(cause: Error | null): HandlerError {
  const reason =
    cause === null ? 'The server closed the connection.' : `The connection failed: ${cause.message}`;
  return new HandlerError(reason, { cause });
}

function replyOf(message: Buffer, requestId: number): BsonDocument {
  const flags = message.readUInt32LE(HEADER_BYTES);
  if (message.readInt32LE(8) !== requestId) throw new BsonError('The reply is to another request.');
  if (message.readInt32LE(12) !== OP_MSG || flags !== 0 || message[HEADER_BYTES + 4] !== 0)
    throw new BsonError('The message is of another kind.');
  const body = message.subarray(PREFIX_BYTES);
  requireBsonLimits(body);
  return deserialize(body, { promoteBuffers: false, validation: { utf8: false } });
}
