import type { JsonObject } from '@fairlead/connector-model/json';
import type { JobListener } from '@fairlead/worker-pool/call-messages';
import type { JobOptions } from '@fairlead/worker-pool/serve-jobs';
import type { HandlerCall } from '../handler.ts';
import { ClientError } from '../mcp/calling-client.ts';
import type { ClientDescription } from '../mcp/calling-client.ts';
import { isObject } from '../templates.ts';

// The messages between a worker and its call's client, at both ends. The worker may be compromised.

type Client = NonNullable<HandlerCall['client']>;

const MAX_METHOD_LENGTH = 100;

/** The part of a client that is sent with a job. */
export function describe({ notify: _notify, request: _request, ...description }: Client): ClientDescription {
  const {
    capabilities,
    logLevel,
    wantsProgress,
    wantsChanges,
    takesInputRequired,
    inputResponses,
    requestState,
  } = description;
  return {
    capabilities,
    logLevel,
    wantsProgress,
    wantsChanges,
    takesInputRequired,
    inputResponses,
    requestState,
  };
}

/** A message that withdraws a request, by its number. */
const WITHDRAWN = 'fairlead/withdrawn';

/** Passes a worker's messages to its call's client. */
export function listenerOf(client: Client): JobListener {
  const open = new Map<unknown, AbortController>();
  return {
    tell(message) {
      const { method, params } = messageOf(message);
      if (method === WITHDRAWN) open.get(params['number'])?.abort();
      else client.notify(method, params);
    },
    async question(asked) {
      const { method, params, number } = messageOf(asked);
      const withdrawal = new AbortController();
      open.set(number, withdrawal);
      try {
        return { result: await client.request(method, params, withdrawal.signal) };
      } catch (error) {
        if (!(error instanceof ClientError)) throw error;
        const { code, message, data } = error;
        return { error: { code, message, data } };
      } finally {
        open.delete(number);
      }
    },
  };
}

/** The worker's representation of the call's client. */
export function clientOf(
  description: ClientDescription,
  { tell, question }: Pick<JobOptions, 'tell' | 'question'>,
): Client {
  let questions = 0;
  return {
    ...description,
    notify: (method, params) => void tell({ method, params }),
    async request(method, params, withdrawn) {
      const number = (questions += 1);
      withdrawn?.addEventListener('abort', () => void tell({ method: WITHDRAWN, params: { number } }));
      // The service wrote this message (listenerOf).
      const answer = (await question({ method, params, number })) as
        | { readonly result: JsonObject }
        | { readonly error: { readonly code: number; readonly message: string; readonly data?: JsonObject } };
      if ('result' in answer) return answer.result;
      const { code, message, data } = answer.error;
      throw new ClientError(code, message, data);
    },
  };
}

interface Message {
  readonly method: string;
  readonly params: JsonObject;
  /** The number of a client request. */
  readonly number: unknown;
}

function messageOf(value: unknown): Message {
  // This value was parsed from JSON.
  const message = value as JsonObject[string];
  if (!isObject(message)) throw new TypeError('The data of a worker is not a message.');
  const { method, params, number } = message;
  if (typeof method !== 'string' || method.length > MAX_METHOD_LENGTH || !isObject(params))
    throw new TypeError('A worker sent a message without a method or parameters.');
  return { method, params, number };
}
