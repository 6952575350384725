import { isJsonArray, isJsonObject } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';

/** The value if it is an object, otherwise undefined. */
export function objectOf(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** The strings in an array; empty for any other value. */
export function stringsOf(value: Json | undefined): readonly string[] {
  return isJsonArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
