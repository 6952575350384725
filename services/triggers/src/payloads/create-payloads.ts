import { createWorkThread } from '@fairlead/service-kit/threads/work-thread';
import { hookPayload } from '../domain/hook-call.ts';
import type { HookCall } from '../domain/hook-call.ts';
import type { Payloads } from '../ports/payloads.ts';

/** Bodies of at most so many bytes are read in place, which takes a few milliseconds: every byte is looked at. */
const MAX_BYTES_IN_PLACE = 256 * 1024;

/** Makes payloads of small calls in place, and of large ones in a thread. */
export function createPayloads(): Payloads & { close(): Promise<void> } {
  const thread = createWorkThread<HookCall, Uint8Array>(new URL('payload.thread.ts', import.meta.url));
  return {
    async of(accountId, call) {
      if (call.body.length <= MAX_BYTES_IN_PLACE) return hookPayload(call);
      const { headers, method, query, tokenHash } = call;
      // It is a part of the message that brought it.
      const body = new Uint8Array(call.body);
      const { answer } = await thread.run(accountId, { headers, method, query, tokenHash, body }, [body]);
      return answer;
    },
    close: () => thread.close(),
  };
}
