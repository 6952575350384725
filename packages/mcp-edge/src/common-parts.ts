import type { HandleMessageResponse } from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import { SharedSpace } from '@fairlead/service-kit/cache/shared-space';

/** A part of an answer. */
interface Part {
  readonly digest: Uint8Array;
  readonly bytes: Uint8Array;
}

/** The texts of an answer's parts, in the order in which they are sent. */
export type Pieces = readonly Uint8Array[];

/** Caches parts that answers have in common, such as pages of lists. The mcp service sends each part only once. */
export interface CommonParts {
  /**
   * Sends a request to the service. `key` names the part that the answer probably contains. If that part is cached,
   * `ask` gets its digest, and the answer may omit the part.
   */
  complete(
    of: { readonly accountId: string; readonly key: string },
    ask: (keptPartDigest: Uint8Array) => Promise<HandleMessageResponse>,
  ): Promise<{ readonly httpStatus: number; readonly body: Uint8Array; readonly pieces: Pieces }>;
}

const MIB = 1024 * 1024;
/** Maximum memory of the cached parts, in total and per account. */
const LIMITS = { bytes: 64 * MIB, bytesPerOwner: 8 * MIB };
const NONE = new Uint8Array();

/** Creates the cache. It never returns outdated parts: the service names the part of each answer by the digest of its bytes. */
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
      // Copied, because a slice would keep the whole message in memory.
      const bytes = body.slice(offset, offset + size);
      space.set(key, { owner: accountId, bytes: size, value: { digest: digest.slice(), bytes } });
      return { httpStatus, body, pieces: [body] };
    },
  };
}
