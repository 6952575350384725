import type { ConnectionOptions } from 'node:tls';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { HandlerError } from '@fairlead/connector-runtime/handler';

/** The address of the database, and its login. */
export interface DatabaseSettings {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  /** False: no TLS. */
  readonly tls: ConnectionOptions | false;
  /** Continue without TLS if the server has none. */
  readonly isTlsOptional: boolean;
}

const DEFAULT_PORT = 5432;

/** Reads a connection's fields. Throws HandlerError naming the invalid field. */
export function databaseSettings(fields: JsonObject, defaultPort = DEFAULT_PORT): DatabaseSettings {
  const sslMode = fields['sslMode'] ?? 'prefer';
  return {
    host: text(fields, 'host'),
    port: port(fields['port'], defaultPort),
    database: text(fields, 'database'),
    user: text(fields, 'user'),
    password: typeof fields['password'] === 'string' ? fields['password'] : '',
    tls: tls(sslMode),
    isTlsOptional: sslMode === 'prefer',
  };
}

/**
 * The TLS modes of libpq, with its default: `prefer` encrypts if the server supports it, `require` always encrypts; neither verifies the
 * certificate. `verify-full` verifies chain and host name.
 */
function tls(sslMode: Json): ConnectionOptions | false {
  switch (sslMode) {
    case 'disable':
      return false;
    case 'prefer':
    case 'require':
      return { rejectUnauthorized: false };
    case 'verify-full':
      return { rejectUnauthorized: true };
    default:
      throw new HandlerError(
        'The TLS mode of the connection must be disable, prefer, require or verify-full.',
      );
  }
}

function port(value: Json | undefined, defaultPort: number): number {
  const number = value === undefined || value === null || value === '' ? defaultPort : Number(value);
  if (!Number.isInteger(number) || number < 1 || number > 65_535) {
    throw new HandlerError('The port of the connection must be a number from 1 to 65535.');
  }
  return number;
}

function text(fields: JsonObject, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string' || value === '') throw new HandlerError(`The connection has no ${name}.`);
  return value;
}
