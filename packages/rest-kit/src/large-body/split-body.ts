import type { JsonObject } from '@bufbuild/protobuf';

/** A part of a body that the gateway passes on as bytes. */
interface UnparsedPart {
  /** The path (names and positions) of the part. */
  readonly place: readonly string[];
  readonly json: Uint8Array;
}

/** A body with its large parts taken out. */
export interface SplitBody {
  /** The body's JSON, with null in place of each part that was taken out. */
  readonly text: string;
  readonly passed: readonly UnparsedPart[];
}

/** Smaller parts stay in the body. */
const MIN_PASSED_BYTES = 16 * 1024;

/**
 * Takes the large values at these paths out of a body, which it changes, and serialises each. A `*` in a path stands
 * for every member or item.
 */
export function splitBody(body: JsonObject, paths: readonly string[]): SplitBody {
  const passed: UnparsedPart[] = [];
  function split(holder: unknown, [name = '', ...rest]: readonly string[], place: readonly string[]): void {
    if (typeof holder !== 'object' || holder === null) return;
    for (const each of name === '*' ? Object.keys(holder) : [name]) {
      if (!Object.hasOwn(holder, each)) continue;
      const value: unknown = Reflect.get(holder, each);
      const at = [...place, each];
      if (rest.length > 0) {
        split(value, rest, at);
        continue;
      }
      const json = Buffer.from(JSON.stringify(value));
      if (json.length < MIN_PASSED_BYTES) continue;
      passed.push({ place: at, json });
      Reflect.set(holder, each, null);
    }
  }
  for (const path of paths) split(body, path.split('.'), []);
  return { text: JSON.stringify(body), passed };
}
