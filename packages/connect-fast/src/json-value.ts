import { fromJson, toBinary, toJson } from '@bufbuild/protobuf';
import type { JsonValue } from '@bufbuild/protobuf';
import { ValueSchema } from '@bufbuild/protobuf/wkt';
import type { Value } from '@bufbuild/protobuf/wkt';
import { decodeValue, encodeValue } from './struct-codec.ts';

// google.protobuf.Value, without a message object for each value in it: those are made only if somebody reads `kind`.

const contents = new WeakMap<Value, JsonValue>();

/** The Value message of this JSON, which must not change afterwards. */
export function toValue(json: JsonValue): Value {
  const value: Value = {
    $typeName: ValueSchema.typeName,
    get kind() {
      return fromJson(ValueSchema, json).kind;
    },
  };
  contents.set(value, json);
  return value;
}

/** The JSON of a Value message; undefined if there is no message, or none of the kinds of value in it. */
export function fromValue(value: Value | undefined): JsonValue | undefined {
  if (value === undefined) return undefined;
  const json = contents.get(value);
  if (json !== undefined) return json;
  return value.kind.case === undefined ? undefined : toJson(ValueSchema, value);
}

/** The bytes of a Value message. */
export function valueBytes(value: Value): Uint8Array {
  const json = contents.get(value);
  return json === undefined ? toBinary(ValueSchema, value) : encodeValue(json);
}

/** The Value message in its bytes. Throws if they are none, or nest too deep. */
export function valueOf(bytes: Uint8Array): Value {
  const json = decodeValue(bytes);
  return json === undefined ? { $typeName: ValueSchema.typeName, kind: { case: undefined } } : toValue(json);
}
