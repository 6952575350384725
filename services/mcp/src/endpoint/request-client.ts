import type { JsonObject } from '@bufbuild/protobuf';
import { objectSlices } from '@fairlead/service-kit/json/json-slices';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { logLevelOf } from '../domain/mcp-client.ts';
import type { LogLevel, McpClient } from '../domain/mcp-client.ts';
import { isObject, RPC_ERRORS, RpcError } from './json-rpc.ts';
import type { RpcParams } from './json-rpc.ts';
import { CAPABILITIES_KEY } from './request-envelope.ts';
import { UNNAMED_VERSION } from './versions.ts';

/** The client's declarations at the start of its session. */
export interface ClientSession {
  readonly capabilities: JsonObject;
  /** The log level that it has set; undefined: none, so the server decides. */
  readonly logLevel: LogLevel | undefined;
}

/** The session of a client without known declarations. */
export const NO_SESSION: ClientSession = { capabilities: {}, logLevel: undefined };

const NOTHING = Buffer.from('{}');
/** The log level of a session whose client has set none. */
const DEFAULT_LEVEL = 'info';
const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel';

/** The first version with resource links in results of tools. */
const LINKS_VERSION = '2025-06-18';

/**
 * The client of a request with this protocol `version` in its header. Without a handshake the request describes it, otherwise the session
 * does. RpcError for a malformed `_meta`.
 */
export function requestClient(
  { params, isStateless }: { readonly params: RpcParams; readonly isStateless: boolean },
  session: ClientSession,
  version: string = UNNAMED_VERSION,
): McpClient {
  const meta = objectSlices(params.get('_meta') ?? NOTHING) ?? new Map<string, Uint8Array>();
  const progressToken = tokenIn(meta);
  if (!isStateless) {
    const { capabilities, logLevel = DEFAULT_LEVEL } = session;
    const takesLinks = version >= LINKS_VERSION;
    return { isStateless, takesLinks, capabilities, logLevel, progressToken };
  }
  const declared = valueIn(meta, CAPABILITIES_KEY);
  const capabilities = isObject(declared) ? declared : {};
  const level = valueIn(meta, LOG_LEVEL_KEY);
  const logLevel = logLevelOf(level);
  if (level !== undefined && logLevel === undefined)
    throw new RpcError(RPC_ERRORS.invalidParams, `params._meta: ${LOG_LEVEL_KEY} is not a level`);
  return { isStateless, takesLinks: true, capabilities, logLevel, progressToken };
}

function tokenIn(meta: RpcParams): LazyJson | undefined {
  const bytes = meta.get('progressToken');
  if (bytes === undefined) return undefined;
  const token = new LazyJson(bytes, 'params._meta.progressToken');
  if (['string', 'number'].includes(typeof token.parse())) return token;
  throw new RpcError(RPC_ERRORS.invalidParams, 'params._meta.progressToken: must be a string or a number');
}

function valueIn(meta: RpcParams, name: string) {
  const bytes = meta.get(name);
  return bytes === undefined ? undefined : new LazyJson(bytes, `params._meta.${name}`).parse();
}
