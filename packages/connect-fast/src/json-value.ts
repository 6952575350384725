import { fromJson, toBinary, toJson } from '@bufbuild/protobuf';
import type { JsonValue } from '@bufbuild/protobuf';
import { ValueSchema } from '@bufbuild/protobuf/wkt';
import type { Value } from '@bufbuild/protobuf/wkt';
import { decodeValue, encodeValue } from './struct-codec.ts';

// google.protobuf.Value, without a message object for each value in it: those are made only if somebody reads `kind`.

/** A Value message that has its JSON. */
class JsonOfValue {
  readonly $typeName = ValueSchema.typeName;
  declare readonly kind: Value['kind'];
  readonly #json: JsonValue;

  constructor(json: JsonValue) {
    this.#json = json;
    // An accessor of each object's own, as an object literal would have, makes V8 keep its objects far too long.
    Object.defineProperty(this, 'kind', KIND);
  }

  /** The JSON of a message that was made of it. */
  static of(value: object): JsonValue | undefined {
    return #json in value ? value.#json : undefined;
  }
}

const KIND: PropertyDescriptor & ThisType<JsonOfValue> = {
  get() {
    const json = JsonOfValue.of(this);
    if (json === undefined) throw new TypeError('The message is not the one that was made of the JSON.');
    return fromJson(ValueSchema, json).kind;
  },
  enumerable: true,
  configurable: true,
};

/** The Value message of this JSON, which must not change afterwards. */
export function toValue(json: JsonValue): Value {
  return new JsonOfValue(json);
}

/** The JSON of a Value message; undefined if there is no message, or none of the kinds of value in it. */
export function fromValue(value: Value | undefined): JsonValue | undefined {
  if (value === undefined) return undefined;
  const json = JsonOfValue.of(value);
  if (json !== undefined) return json;
  return value.kind.case === undefined ? undefined : toJson(ValueSchema, value);
}

/** The bytes of a Value message. */
export function valueBytes(value: Value): Uint8Array {
  const json = JsonOfValue.of(value);
  return json === undefined ? toBinary(ValueSchema, value) : encodeValue(json);
}

/** The Value message in its bytes. Throws if they are none, or nest too deep. */
export function valueOf(bytes: Uint8Array): Value {
  const json = decodeValue(bytes);
  return json === undefined ? { $typeName: ValueSchema.typeName, kind: { case: undefined } } : toValue(json);
}
