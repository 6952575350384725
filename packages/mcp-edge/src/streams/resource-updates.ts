import type { HandleMessageInteractivelyResponse } from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import { objectSlices } from '@fairlead/service-kit/json/json-slices';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Timers } from '@fairlead/service-kit/timers';
import { listen, pause } from '../interaction/listen.ts';
import { jsonValue } from '../json-value.ts';
import { membersOf } from '../posted.ts';
import type { SessionClients } from './session-clients.ts';
import type { StreamHub } from './stream-hub.ts';

/** A stream whose client may follow resources. */
export interface FollowingStream {
  readonly key: string;
  /** The context of a request that lasts as long as the signal does not abort. */
  readonly contextFor: (signal: AbortSignal) => RequestContext;
  /** Opens a request of version 2026-07-28 that listens to changes. */
  readonly openListening: (
    ctx: RequestContext,
    message: Uint8Array,
  ) => AsyncIterable<HandleMessageInteractivelyResponse>;
}

/** Tells the clients of held streams of changes of the resources that they follow. */
export interface ResourceUpdates {
  /**
   * A stream has opened; it is told of changes until the returned function is called. `isNew`: its session follows nothing yet, otherwise
   * its client may have missed a change of everything that it follows.
   */
  opened(stream: FollowingStream, isNew: boolean): () => void;
  /** The client of a session follows other resources. */
  changed(key: string): void;
}

/** Most resources that the client of a session follows, and the longest URI of one. */
export const MAX_FOLLOWED = 100;
export const MAX_URI_BYTES = 2_048;

/** Pause after a request that failed. */
const RETRY_MS = 5_000;
const UPDATED = 'notifications/resources/updated';
const VERSION = '2026-07-28';
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
};

interface Following {
  readonly stream: FollowingStream;
  uris: readonly string[];
  /** Ends the request for these. */
  listening: AbortController | undefined;
  /** Records are read one after the other. */
  reading: Promise<void>;
}

/** Listens at the mcp service for each stream whose client follows resources; the others cost an entry in a map. */
export function createResourceUpdates(o: {
  readonly clients: Pick<SessionClients, 'find'>;
  readonly hub: Pick<StreamHub, 'tell'>;
  readonly timers: Timers;
}): ResourceUpdates {
  const followings = new Map<string, Following>();

  function read(following: Following, isMissed: boolean): void {
    following.reading = following.reading.then(() => listenAnew(following, isMissed));
  }

  async function listenAnew(following: Following, isMissed: boolean): Promise<void> {
    const { stream } = following;
    const ctx = stream.contextFor(new AbortController().signal);
    try {
      const { resourceUris = [] } = (await o.clients.find(ctx, stream.key)) ?? {};
      const uris = resourceUris.slice(0, MAX_FOLLOWED);
      if (followings.get(stream.key) !== following || uris.join('\n') === following.uris.join('\n')) return;
      const former = following.listening;
      following.uris = uris;
      following.listening = undefined;
      if (uris.length > 0) {
        const listening = new AbortController();
        following.listening = listening;
        void tell(following, listening.signal, isMissed ? uris : [], () => former?.abort());
      } else former?.abort();
    } catch (error) {
      ctx.log.warn({ err: error }, 'the resources that a client follows cannot be read');
    }
  }

  /** Tells the client of changes until the signal aborts. `onBegun`: from now on none is missed, except of `missed`. */
  async function tell(
    { stream, uris }: Following,
    signal: AbortSignal,
    missed: readonly string[],
    onBegun: () => void,
  ): Promise<void> {
    const ctx = stream.contextFor(signal);
    const message = listenMessage(uris);
    const open = () => stream.openListening(ctx, message);
    let due = missed;
    while (!signal.aborted) {
      try {
        for await (const told of listen(open, { signal, timers: o.timers })) {
          if (!(told instanceof Uint8Array)) throw new Error('The service refused the request.');
          onBegun();
          for (const uri of due) o.hub.tell(stream.key, notice(uri));
          due = [];
          const uri = updatedUri(told);
          if (uri !== undefined) o.hub.tell(stream.key, notice(uri));
        }
      } catch (error) {
        if (!signal.aborted) ctx.log.warn({ err: error }, 'changes of resources cannot be followed');
      }
      due = uris;
      await pause(RETRY_MS, signal, o.timers);
    }
  }

  return {
    opened(stream, isNew) {
      const following: Following = {
        stream,
        uris: [],
        listening: undefined,
        reading: Promise.resolve(),
      };
      followings.get(stream.key)?.listening?.abort();
      followings.set(stream.key, following);
      if (!isNew) read(following, true);
      return () => {
        following.listening?.abort();
        if (followings.get(stream.key) === following) followings.delete(stream.key);
      };
    },
    changed(key) {
      const following = followings.get(key);
      if (following !== undefined) read(following, false);
    },
  };
}

function listenMessage(uris: readonly string[]): Uint8Array {
  const params = { notifications: { resourceSubscriptions: uris }, _meta: ENVELOPE };
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }));
}

/** The notification as the versions with sessions have it. */
function notice(uri: string): Uint8Array {
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: UPDATED, params: { uri } }));
}

/** The resource that a message says to have changed; undefined: it is another message. */
function updatedUri(message: Uint8Array): string | undefined {
  const members = objectSlices(message);
  const method = members?.get('method');
  if (members === undefined || method === undefined || jsonValue(method) !== UPDATED) return undefined;
  const uri = membersOf(members, 'params')?.get('uri');
  const value = uri && jsonValue(uri);
  return typeof value === 'string' ? value : undefined;
}
