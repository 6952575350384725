import type { JsonObject } from '@bufbuild/protobuf';

/** A part of a body that its receiver passes on by its bytes. */
interface PassedPart {
  /** The names and positions that lead to it. */
  readonly place: readonly string[];
  readonly json: Uint8Array;
}

/** A body without its large parts. */
export interface SplitBody {
  /** Its JSON, with null in place of each part that is passed on. */
  readonly text: string;
  readonly passed: readonly PassedPart[];
}

/** Smaller parts stay in the body. */
const MIN_PASSED_BYTES = 16 * 1024;

/** Splits a body, which it changes: values at these paths that are large are written as JSON of their own. Each `*` of a path stands for every member or item. */
export function splitBody(body: JsonObject, paths: readonly string[]): SplitBody {
  const passed: PassedPart[] = [];
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
