import type {
  HandleMessageInteractivelyResponse,
  HandleMessageResponse,
} from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import type { Timers } from '@fairlead/service-kit/timers';
import { jsonValue } from '../json-value.ts';

/** The list-change notifications, by the members of a granted filter. */
const LIST_NOTICES: ReadonlyMap<string, string> = new Map([
  ['toolsListChanged', 'notifications/tools/list_changed'],
  ['promptsListChanged', 'notifications/prompts/list_changed'],
  ['resourcesListChanged', 'notifications/resources/list_changed'],
]);
const RESOURCES = 'resourceSubscriptions';
/** The notification that a resource has changed. */
export const RESOURCE_NOTICE = 'notifications/resources/updated';

/** Pauses before the request to the service is repeated. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

/**
 * The messages of a subscription request, until `signal` aborts; the first one acknowledges it. If the service ends
 * the stream, the request is repeated, and everything that may have changed meanwhile is reported as changed. If the
 * service refuses the request, there is only its response. Throws if the first attempt fails.
 */
export async function* listen(
  open: () => AsyncIterable<HandleMessageInteractivelyResponse>,
  { signal, timers }: { readonly signal: AbortSignal; readonly timers: Timers },
): AsyncGenerator<Uint8Array | HandleMessageResponse, void, undefined> {
  let acknowledged: Uint8Array | undefined;
  for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    let isAcknowledged = false;
    try {
      for await (const { message } of open()) {
        if (message.case === 'response' && !isAcknowledged) {
          if (acknowledged === undefined) yield message.value;
          return;
        }
        if (message.case !== 'clientMessage') continue;
        if (isAcknowledged || acknowledged === undefined) yield message.value;
        else yield* noticesOf(acknowledged);
        if (!isAcknowledged) acknowledged ??= message.value;
        isAcknowledged = true;
        pauseMs = FIRST_PAUSE_MS;
      }
    } catch (error) {
      if (acknowledged === undefined) throw error;
    }
    await pause(pauseMs, signal, timers);
  }
}

/** One notification of each granted kind. */
function* noticesOf(acknowledged: Uint8Array): Generator<Uint8Array> {
  const { params } = (jsonValue(acknowledged) ?? {}) as { params?: Readonly<Record<string, unknown>> };
  const { notifications, _meta } = params ?? {};
  const granted = Object.entries((notifications ?? {}) as Readonly<Record<string, unknown>>);
  for (const [name, value] of granted) {
    const method = LIST_NOTICES.get(name);
    if (method !== undefined) yield notice(method, { _meta });
    if (name === RESOURCES && Array.isArray(value))
      for (const uri of value as readonly unknown[]) yield notice(RESOURCE_NOTICE, { uri, _meta });
  }
}

function notice(method: string, params: object): Uint8Array {
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', method, params }));
}

/** Resolves after `ms`, or once the signal aborts. */
export function pause(ms: number, signal: AbortSignal, timers: Timers): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      timer.cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = timers.after(ms, done);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
