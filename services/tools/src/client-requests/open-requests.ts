import type { JsonObject } from '@fairlead/connector-model/json';
import { ClientError } from '@fairlead/connector-runtime/mcp/calling-client';
import { randomBase62 } from '@fairlead/service-kit/ids';
import type { ClientAnswer, OpenRequest } from '../ports/client-requests.ts';

/** A key of a request, as `open` creates it; the group is the name of its replica. */
const KEY = /^ask_([0-9A-Za-z]{16})_[0-9A-Za-z]{32}$/;

/** The name of the replica that has this request; undefined for text that is not a key. */
export function replicaOf(key: string): string | undefined {
  return KEY.exec(key)?.[1];
}

/** The open requests of this replica. */
export class OpenRequests {
  /** Name of this replica; new for each process. */
  readonly replica = randomBase62(16);
  readonly #open = new Map<string, { readonly caller: string; settle(answer: ClientAnswer): void }>();

  /** As ClientRequests.open. */
  open(caller: string, signal: AbortSignal): OpenRequest {
    const key = `ask_${this.replica}_${randomBase62(32)}`;
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
    const close = (): void => {
      this.#open.delete(key);
      signal.removeEventListener('abort', end);
    };
    const end = (): void => {
      close();
      reject(new Error('The call has ended without the answer.'));
    };
    this.#open.set(key, {
      caller,
      settle(answer) {
        close();
        if ('result' in answer) resolve(answer.result.parseObject());
        else reject(errorOf(answer.error.parseObject()));
      },
    });
    // Nobody may be waiting any more.
    promise.catch(() => undefined);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
    return { key, answer: promise };
  }

  /** Delivers an answer whose JSON was checked. False: no request with this key that the caller may answer. */
  take(caller: string, key: string, answer: ClientAnswer): boolean {
    const request = this.#open.get(key);
    if (request?.caller !== caller) return false;
    request.settle(answer);
    return true;
  }
}

/** The standard members of a JSON-RPC error; others, and wrongly typed ones, are omitted. Source: JSON-RPC 2.0, section 5.1. */
function errorOf({ code, message, data }: JsonObject): ClientError {
  const known = typeof code === 'number' && Number.isSafeInteger(code) ? code : INTERNAL_ERROR;
  return new ClientError(known, typeof message === 'string' ? message : 'The client refused.', data);
}

const INTERNAL_ERROR = -32_603;
