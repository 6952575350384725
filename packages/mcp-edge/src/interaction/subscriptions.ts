import { validationError } from '@fairlead/errors/api-error';
import type { ApiError } from '@fairlead/errors/api-error';
import { jsonValue } from '../json-value.ts';
import type { PostedMessage } from '../posted.ts';

const SUBSCRIBE = 'resources/subscribe';
const SUBSCRIPTIONS: ReadonlySet<string> = new Set([SUBSCRIBE, 'resources/unsubscribe']);
/** Messages that say something of the client of a session. */
const OF_CLIENT: ReadonlySet<string> = new Set([...SUBSCRIPTIONS, 'initialize', 'logging/setLevel']);

/** Whether a message says something of its client that its session keeps, once it is answered with a result. */
export function saysOfClient({ method }: PostedMessage): boolean {
  return OF_CLIENT.has(method);
}

/** Whether a message begins or ends a subscription to a resource (MCP 2024-11-05 to 2025-11-25). */
export function isSubscription(message: PostedMessage | undefined): boolean {
  return message !== undefined && SUBSCRIPTIONS.has(message.method);
}

/** The resource of such a message, and whether it begins a subscription. Throws VALIDATION_ERROR if it names none. */
export function subscriptionIn({ method, params }: PostedMessage) {
  const bytes = params.get('uri');
  const uri = bytes && jsonValue(bytes);
  if (typeof uri !== 'string') throw validationError({ field: 'params.uri', issue: 'must be a string' });
  return { uri, isFollowed: method === SUBSCRIBE };
}

/** Refuses a subscription of a client that has no stream on which changes could come. */
export function noSession(): ApiError {
  const issue = 'must name the session whose client is to be told of changes: begin one with initialize';
  return validationError({ field: 'Mcp-Session-Id', issue });
}
