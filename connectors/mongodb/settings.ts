import type { ConnectionOptions } from 'node:tls';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { HandlerError } from '@fairlead/connector-runtime/handler';

const DEFAULT_PORT = 27_017;
const MAX_HOSTS = 20;
/** A host name, an IPv4 address, or an IPv6 address in brackets, with an optional port. */
const HOST = /^(\[[0-9a-f:.]+\]|[^:[\]/@,\s]+)(?::(\d{1,5}))?$/i;

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** The address of a deployment, and the login. */
export interface MongoSettings {
  /** Members of the deployment, or the DNS name whose records list them. */
  readonly seeds: { readonly hosts: readonly ServerAddress[] } | { readonly srvName: string };
  /** The database for calls that name none. */
  readonly database: string;
  /** Undefined: no login. */
  readonly login: { readonly user: string; readonly password: string } | undefined;
  /** Authentication database; undefined: the one that DNS states, else `admin`. */
  readonly authSource: string | undefined;
  /** False: no TLS. */
  readonly tls: ConnectionOptions | false;
}

/** Reads a connection's fields. Throws HandlerError naming the invalid field. */
export function mongoSettings(fields: JsonObject): MongoSettings {
  const host = textField(fields, 'host');
  if (host === undefined) throw new HandlerError('The connection has no host.');
  const database = textField(fields, 'database');
  if (database === undefined) throw new HandlerError('The connection has no database.');
  const user = textField(fields, 'user');
  const password = typeof fields['password'] === 'string' ? fields['password'] : '';
  const isSrv = fields['addressing'] === 'srv';
  return {
    seeds: isSrv ? { srvName: host } : { hosts: hostsOf(host, fields['port']) },
    database,
    login: user === undefined ? undefined : { user, password },
    authSource: textField(fields, 'authSource'),
    tls: tlsOf(fields['sslMode'] ?? 'verify-full'),
  };
}

/** Parses an address of the form `host` or `host:port`. Throws HandlerError if it is invalid. */
export function addressOf(text: string, defaultPort = DEFAULT_PORT): ServerAddress {
  const [, host = '', port] = HOST.exec(text.trim()) ?? [];
  const number = port === undefined ? defaultPort : Number(port);
  if (host === '' || !isPort(number))
    throw new HandlerError(
      'The host of the connection must be a host name or an address, or several separated by commas.',
    );
  return { host: host.replaceAll(/[[\]]/g, ''), port: number };
}

function hostsOf(text: string, port: Json | undefined): readonly ServerAddress[] {
  const defaultPort = port === undefined || port === null || port === '' ? DEFAULT_PORT : Number(port);
  if (!isPort(defaultPort))
    throw new HandlerError('The port of the connection must be a number from 1 to 65535.');
  const hosts = text.split(',').map((each) => addressOf(each, defaultPort));
  if (hosts.length > MAX_HOSTS) throw new HandlerError(`The connection names more than ${MAX_HOSTS} hosts.`);
  return hosts;
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535;
}

function tlsOf(sslMode: Json): ConnectionOptions | false {
  switch (sslMode) {
    case 'disable':
      return false;
    case 'require':
      return { rejectUnauthorized: false };
    case 'verify-full':
      return { rejectUnauthorized: true };
    default:
      throw new HandlerError('The TLS mode of the connection must be disable, require or verify-full.');
  }
}

function textField(fields: JsonObject, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
