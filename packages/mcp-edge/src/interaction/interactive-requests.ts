import { jsonValue } from '../json-value.ts';
import { membersOf } from '../posted.ts';
import type { PostedMessage } from '../posted.ts';
import { canBeAsked, capabilityBits } from './client-capabilities.ts';
import type { CapabilityBits } from './client-capabilities.ts';

/** The known properties of a session's client. */
export interface SessionClient {
  readonly capabilities: CapabilityBits;
  /** Lowest level of log messages that the client wants; empty: it chose none. */
  readonly logLevel: string;
}

/** Methods whose handling can take long, or needs the client. */
const METHODS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);
/** Members of `_meta`. Without a handshake, a request describes its client in them (except the progress token). */
const PROGRESS_TOKEN = 'progressToken';
const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
/** Maximum length of a declaration that is read. A client with a longer one gets no messages before the response. */
const MAX_DECLARATION_BYTES = 64 * 1024;

/**
 * Whether a message's client can use messages that precede the response. `session` returns the session's client; it
 * is called only if the request itself does not answer the question.
 */
export async function isInteractive(
  message: PostedMessage | undefined,
  session: () => Promise<SessionClient | undefined>,
): Promise<boolean> {
  if (message === undefined || !message.isRequest || !METHODS.has(message.method)) return false;
  const meta = membersOf(message.params, '_meta');
  if (meta?.has(PROGRESS_TOKEN) === true) return true;
  if (meta?.has(VERSION) === true) return meta.has(LOG_LEVEL) || canBeAsked(declaredIn(meta, CAPABILITIES));
  const client = await session();
  return client !== undefined && (client.logLevel !== '' || canBeAsked(client.capabilities));
}

/** The capabilities declared in a member. */
export function declaredIn(members: ReadonlyMap<string, Uint8Array>, name: string): CapabilityBits {
  const bytes = members.get(name);
  return capabilityBits(
    bytes === undefined || bytes.length > MAX_DECLARATION_BYTES ? undefined : jsonValue(bytes),
  );
}

/** Matches text that may be a log level (RFC 5424). */
const LEVEL = /^[a-z]{1,16}$/;

/** The log level in the parameters; undefined: none. */
export function levelIn(params: ReadonlyMap<string, Uint8Array>): string | undefined {
  const bytes = params.get('level');
  const level = bytes === undefined || bytes.length > 64 ? undefined : jsonValue(bytes);
  return typeof level === 'string' && LEVEL.test(level) ? level : undefined;
}
