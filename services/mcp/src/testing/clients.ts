import type { JsonObject } from '@bufbuild/protobuf';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { VirtualTime } from '@fairlead/service-kit/testing/virtual-time';
import type { McpClient } from '../domain/mcp-client.ts';
import { isObject } from '../endpoint/json-rpc.ts';
import { Outbox } from '../endpoint/outbox.ts';
import { RequestChannel } from '../endpoint/request-channel.ts';
import type { ClientAnswer } from '../ports/client-channel.ts';
import type { ClientRequests } from '../ports/client-requests.ts';
import type { RequestStates } from '../ports/request-states.ts';

/** A client whose session declared nothing, unless overridden. */
export function sessionClient(o: Partial<McpClient> = {}): McpClient {
  return {
    isStateless: false,
    takesLinks: true,
    capabilities: {},
    logLevel: undefined,
    progressToken: undefined,
    ...o,
  };
}

/** The channel to a client that cannot be sent anything before its response. */
export function unaryChannel(
  o: Partial<McpClient> = {},
  answers: Readonly<Record<string, JsonObject>> = {},
): RequestChannel {
  return new RequestChannel(channelDeps().deps, {
    client: sessionClient(o),
    serverId: 'server',
    outbox: undefined,
    answers,
  });
}

/** An interactive channel to a client, and the messages that it has not read. */
export function interactiveChannel(o: Partial<McpClient> = {}) {
  const { deps, answer, time } = channelDeps();
  const outbox = new Outbox();
  const channel = new RequestChannel(deps, { client: sessionClient(o), serverId: 'server', outbox });
  const sent: unknown[] = [];
  void (async () => {
    for await (const json of outbox.messages()) sent.push(JSON.parse(Buffer.from(json).toString()));
  })();
  return { channel, outbox, sent, answer, time };
}

/** A clock that stands still, and requests with the keys `own_1`, `own_2` and so on. */
export function channelDeps() {
  const time = new VirtualTime(0);
  const { requests: clientRequests, answer } = memoryClientRequests();
  const deps = {
    clientRequests,
    requestStates: plainStates,
    clock: time,
    timers: time.timers(() => true),
  };
  return { deps, answer, time };
}

/** Unsealed states, with their binding. */
const plainStates: RequestStates = {
  seal: (_ctx, binding, state) => Promise.resolve(`own ${JSON.stringify({ binding, state })}`),
  isOwn: (text) => text.startsWith('own '),
  open(_ctx, binding, text) {
    const { state, ...sealed } = new LazyJson(Buffer.from(text.slice('own '.length))).parseObject();
    const isSame = JSON.stringify(sealed) === JSON.stringify({ binding });
    return Promise.resolve(isSame && isObject(state) ? state : undefined);
  },
};

function memoryClientRequests() {
  const open = new Map<string, (answer: ClientAnswer) => void>();
  let count = 0;
  const requests: ClientRequests = {
    open() {
      const key = `own_${(count += 1)}`;
      const { promise: answer, resolve } = Promise.withResolvers<ClientAnswer>();
      open.set(key, resolve);
      return Promise.resolve({ key, answer, close: () => void open.delete(key) });
    },
    isOwn: (key) => key.startsWith('own_'),
    answer(_ctx, _serverId, key, { json }) {
      open.get(key)?.({ kind: 'result', result: new LazyJson(json).parseObject() });
      return Promise.resolve();
    },
  };
  return { requests, answer: (key: string, answer: ClientAnswer) => open.get(key)?.(answer) };
}
