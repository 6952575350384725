import type { JsonObject, JsonValue } from '@bufbuild/protobuf';

/** A part of a body that its receiver parses only if it reads it. */
interface DeferredPart {
  /** The names and positions that lead to it. */
  readonly path: readonly string[];
  readonly json: Uint8Array;
}

/** A body without its large parts. */
export interface SplitBody {
  /** With null in place of each deferred part. */
  readonly body: JsonObject;
  readonly deferred: readonly DeferredPart[];
}

/** Smaller objects, arrays and texts stay in the body. */
const MIN_DEFERRED_BYTES = 16 * 1024;
/** An object with more members is deferred as a whole. */
const MAX_MEMBERS = 100;

/**
 * Splits a body: objects and arrays that are large are written as JSON of their own, where they stand in the body, in a member of
 * it that is an object, or in an object of a list. So are large texts that are members of the objects named in `textsOf`.
 */
export function splitBody(body: JsonObject, textsOf: readonly string[]): SplitBody {
  const deferred: DeferredPart[] = [];
  const without = (object: JsonObject, path: readonly string[], levels: number): JsonObject =>
    Object.fromEntries(
      Object.entries(object).map(([name, value]) => [name, kept(value, [...path, name], levels)] as const),
    );
  /** Objects and arrays of so many levels are looked into. */
  function kept(value: JsonValue, path: readonly string[], levels: number): JsonValue {
    const [first = '', ...rest] = path;
    const isText = typeof value === 'string' && value.length >= MIN_DEFERRED_BYTES;
    if (isText && rest.length === 1 && textsOf.includes(first)) {
      deferred.push({ path, json: Buffer.from(JSON.stringify(value)) });
      return null;
    }
    if (typeof value !== 'object' || value === null) return value;
    const json = Buffer.from(JSON.stringify(value));
    if (json.length < MIN_DEFERRED_BYTES) return value;
    if (levels > 0 && Object.keys(value).length <= MAX_MEMBERS) {
      if (Array.isArray(value))
        return value.map((item, at) =>
          // Each level is written once more.
          kept(item, [...path, String(at)], Array.isArray(item) ? 0 : levels),
        );
      return without(value, path, levels - 1);
    }
    deferred.push({ path, json });
    return null;
  }
  return { body: without(body, [], 1), deferred };
}
