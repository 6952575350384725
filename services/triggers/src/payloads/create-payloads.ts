import { createWorkThread } from '@fairlead/service-kit/threads/work-thread';
import { hookPayload } from '../domain/hook-call.ts';
import type { HookCall } from '../domain/hook-call.ts';
import type { Payloads } from '../ports/payloads.ts';

/** Bodies up to this size are processed synchronously, which takes a few milliseconds, because every byte is read. */
const MAX_BYTES_IN_PLACE = 256 * 1024;

/** Creates payloads of small calls synchronously, and of large ones in a thread. */
export function createPayloads(): Payloads & { close(): Promise<void> } {
  const thread = createWorkThread<HookCall, Uint8Array>(new URL('payload.thread.ts', import.meta.url));
  return {
    async of(accountId, call) {
      if (call.body.length <= MAX_BYTES_IN_PLACE) return hookPayload(call);
      const { headers, method, query, tokenHash } = call;
      // Copied: the body is part of a message's buffer, which must not be transferred.
      const body = new Uint8Array(call.body);
      const { answer } = await thread.run(accountId, { headers, method, query, tokenHash, body }, [body]);
      return answer;
    },
    close: () => thread.close(),
  };
}
