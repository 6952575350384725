import type { HandleMessageResponse } from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import { SharedSpace } from '@fairlead/service-kit/cache/shared-space';

/** A part of an answer. */
interface Part {
  readonly digest: Uint8Array;
  readonly bytes: Uint8Array;
}

/** The text of an answer, in the order in which it is sent. */
export type Pieces = readonly Uint8Array[];

/** The parts that answers have in common, such as pages of lists: the mcp service sends each only once. */
export interface CommonParts {
  /**
   * Has a request answered. `key` names the part that the answer probably has; `ask` gets the digest of that part if it is kept, and its answer
   * may come without it.
   */
  complete(
    of: { readonly accountId: string; readonly key: string },
    ask: (keptPartDigest: Uint8Array) => Promise<HandleMessageResponse>,
  ): Promise<{ readonly httpStatus: number; readonly body: Uint8Array; readonly pieces: Pieces }>;
}

const MIB = 1024 * 1024;
/** Memory of the parts, in all and of one account. */
const LIMITS = { bytes: 64 * MIB, bytesPerOwner: 8 * MIB };
const NONE = new Uint8Array();

/** Parts in memory. Whether an answer has a part says the service, by the digest of the bytes, so that none can be outdated. */
export function createCommonParts(): CommonParts {
  const space = new SharedSpace<Part>(LIMITS);
  return {
    async complete({ accountId, key }, ask) {
      const kept = space.get(key);
      const { httpStatus, body, commonPart: part } = await ask(kept?.digest ?? NONE);
      if (part === undefined) return { httpStatus, body, pieces: [body] };
      const { offset, size, digest } = part;
      if (part.isLeftOut) {
        if (kept === undefined) throw new Error('The answer lacks a part that was not kept.');
        const pieces = [body.subarray(0, offset), kept.bytes, body.subarray(offset)];
        return { httpStatus, body, pieces };
      }
      // A copy, or the whole message would stay in memory.
      const bytes = body.slice(offset, offset + size);
      space.set(key, { owner: accountId, bytes: size, value: { digest: digest.slice(), bytes } });
      return { httpStatus, body, pieces: [body] };
    },
  };
}
