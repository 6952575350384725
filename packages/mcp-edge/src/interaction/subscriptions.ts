import { validationError } from '@fairlead/errors/api-error';
import type { ApiError } from '@fairlead/errors/api-error';
import { jsonValue } from '../json-value.ts';
import type { PostedMessage } from '../posted.ts';

const SUBSCRIBE = 'resources/subscribe';
const SUBSCRIPTIONS: ReadonlySet<string> = new Set([SUBSCRIBE, 'resources/unsubscribe']);
/** Methods whose messages contain information about the session's client. */
const OF_CLIENT: ReadonlySet<string> = new Set([...SUBSCRIPTIONS, 'initialize', 'logging/setLevel']);

/** Whether a message contains information about the session's client, which is stored if the message succeeds. */
export function saysOfClient({ method }: PostedMessage): boolean {
  return OF_CLIENT.has(method);
}

/** Whether a message begins or ends a resource subscription (MCP 2024-11-05 to 2025-11-25). */
export function isSubscription(message: PostedMessage | undefined): boolean {
  return message !== undefined && SUBSCRIPTIONS.has(message.method);
}

/**
 * The resource in a message about a subscription, and whether the message begins the subscription. Throws VALIDATION_ERROR if no resource is
 * named.
 */
export function subscriptionIn({ method, params }: PostedMessage) {
  const bytes = params.get('uri');
  const uri = bytes && jsonValue(bytes);
  if (typeof uri !== 'string') throw validationError({ field: 'params.uri', issue: 'must be a string' });
  return { uri, isFollowed: method === SUBSCRIBE };
}

/** Refuses the subscription of a client without a stream, which could not get notifications. */
export function noSession(): ApiError {
  const issue = 'must name the session whose client is to be told of changes: begin one with initialize';
  return validationError({ field: 'Mcp-Session-Id', issue });
}
