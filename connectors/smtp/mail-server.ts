import type { Socket } from 'node:net';
import { createTransport } from 'nodemailer';
import type { SendMailOptions } from 'nodemailer';
import type { JsonObject } from '@fairlead/connector-model/json';
import { CallFailure } from '@fairlead/connector-runtime/failure';
import { HandlerError } from '@fairlead/connector-runtime/handler';
import type { HandlerCall } from '@fairlead/connector-runtime/handler';

const DEFAULT_PORT = 587;
/** Maximum bytes that a server may send; for one message, real servers send a few hundred. */
const MAX_RECEIVED_BYTES = 256 * 1024;
const WATCH_MS = 50;
/** The enhanced codes and replies of a refused login (RFC 4954 section 6). */
const LOGIN_REFUSED = 'EAUTH';

/** A server's result for one message. */
export interface SentMail {
  readonly messageId: string;
  readonly accepted: readonly string[];
  readonly rejected: readonly string[];
  readonly response: string;
}

/** Sends one message to the mail server of the call's connection, over a new connection through the guarded egress. */
export function sendMail(call: HandlerCall, mail: SendMailOptions): Promise<SentMail> {
  return withServer(call, async (transport) => {
    await call.beforeSend?.(false);
    const { messageId, accepted, rejected, response } = await transport.sendMail({
      from: textField(call.credential.fields, 'from'),
      ...mail,
    });
    return { messageId, accepted: accepted.map(addressOf), rejected: rejected.map(addressOf), response };
  });
}

/** Logs in and sends nothing: a successful login proves the credential. */
export async function logIn(call: HandlerCall): Promise<void> {
  await withServer(call, (transport) => transport.verify());
}

async function withServer<T>(
  call: HandlerCall,
  use: (transport: ReturnType<typeof transportOver>) => Promise<T>,
): Promise<T> {
  const { fields } = call.credential;
  const host = textField(fields, 'host');
  if (host === undefined) throw new HandlerError('The connection has no host.');
  const socket = await call.egress.openSocket(host, portOf(fields), call.signal);
  // Without a listener, an error between two commands would end the process; the running command reports the error.
  socket.on('error', () => undefined);
  const cut = (): void => void socket.destroy();
  call.signal.addEventListener('abort', cut, { once: true });
  const watch = setInterval(() => {
    if (socket.bytesRead > MAX_RECEIVED_BYTES) cut();
  }, WATCH_MS);
  try {
    if (call.signal.aborted) cut();
    return await Promise.race([use(transportOver(socket, host, call)), lossOf(socket)]);
  } catch (error) {
    throw mailFailure(error);
  } finally {
    clearInterval(watch);
    call.signal.removeEventListener('abort', cut);
    cut();
  }
}

function transportOver(socket: Socket, host: string, call: HandlerCall) {
  const { fields } = call.credential;
  const security = fields['security'] ?? 'starttls';
  const user = textField(fields, 'user');
  return createTransport({
    host,
    port: portOf(fields),
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(user === undefined ? {} : { auth: { user, pass: textField(fields, 'password') ?? '' } }),
    connectionTimeout: call.timeoutMs,
    greetingTimeout: call.timeoutMs,
    socketTimeout: call.timeoutMs,
    // A message may contain only values of the call.
    disableFileAccess: true,
    disableUrlAccess: true,
    getSocket: (_options: unknown, callback: (error: Error | null, o: { connection: Socket }) => void) => {
      callback(null, { connection: socket });
    },
  });
}

/** Rejects when the connection ends, because the driver does not report every end. */
function lossOf(socket: Socket): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  // If the driver reports an error for the same loss, that error is more specific.
  socket.once('close', () =>
    setImmediate(() => reject(new HandlerError('The mail server closed the connection.'))),
  );
  promise.catch(() => undefined);
  return promise;
}

/** Converts an error of the driver to a HandlerError with the server's text; other errors are returned unchanged. */
function mailFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof CallFailure || !('code' in error)) return error;
  const response = 'response' in error && typeof error.response === 'string' ? error.response : error.message;
  return new HandlerError(`The mail server refused: ${response}`.slice(0, 1000), {
    isUnauthorized: error.code === LOGIN_REFUSED,
    cause: error,
  });
}

function portOf(fields: JsonObject): number {
  const port = Number(fields['port'] ?? DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new HandlerError('The port of the connection must be a number from 1 to 65535.');
  return port;
}

function textField(fields: JsonObject, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function addressOf(address: string | { readonly address: string }): string {
  return typeof address === 'string' ? address : address.address;
}
