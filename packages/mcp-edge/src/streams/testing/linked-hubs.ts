import { create } from '@bufbuild/protobuf';
import {
  StreamAddressedReplySchema,
  StreamAddressedSchema,
} from '@fairlead/contracts/gateway/v1/client_streams_pb';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { VirtualTime } from '@fairlead/service-kit/testing/virtual-time';
import { createStreamHub } from '../stream-hub.ts';
import type { OpenPipe, StreamHub, StreamPipe } from '../stream-hub.ts';
import { STREAM_LIMITS } from '../stream-limits.ts';
import { memorySent } from './memory-sent.ts';

type Answer = Parameters<OpenPipe>[0];

/** Start of the virtual time. */
export const START_MS = Date.UTC(2026, 10, 29);

/** Replicas in virtual time, linked by a network that can fail. */
export function linkedHubs({ limits = {}, maxBytes = 100_000 } = {}) {
  const time = new VirtualTime(START_MS);
  const addresses = new Map<string, Set<Answer>>();
  const network = {
    isAway: false,
    isSilent: false,
    asked: [] as string[],
    lostReplies: '',
    onTake: () => {},
  };
  const openPipe = (answer: Answer): StreamPipe => ({
    take(address) {
      network.onTake();
      addresses.set(address, (addresses.get(address) ?? new Set()).add(answer));
      return Promise.resolve();
    },
    leave: (address) => void addresses.get(address)?.delete(answer),
    async ask(address, message, { timeoutMs }) {
      const { content } = create(StreamAddressedSchema, message);
      network.asked.push(content.case ?? '');
      if (network.isSilent) {
        await time.delay(timeoutMs);
        throw new Error('no reply');
      }
      const [taker, ...others] = network.isAway ? [] : (addresses.get(address) ?? []);
      for (const other of others) other(address, { content });
      const reply =
        taker === undefined ? undefined : create(StreamAddressedReplySchema, taker(address, { content }));
      return network.lostReplies === content.case
        ? Promise.reject(new Error('no reply'))
        : Promise.resolve(reply);
    },
    maxBytes: () => maxBytes,
  });
  const newHub = (timers = time.timers(() => true)): StreamHub =>
    createStreamHub({
      sent: memorySent(),
      openPipe,
      clock: time,
      timers,
      log: captureLog().log,
      limits: { ...STREAM_LIMITS, ...limits },
    });
  /** Lets pending callbacks set their timers before time advances. */
  const pass = async (ms: number): Promise<void> => {
    await new Promise(setImmediate);
    await time.runUntil(time.nowMs + ms);
  };
  return { pass, network, newHub, first: newHub(), second: newHub() };
}
