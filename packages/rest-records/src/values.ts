import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';

/** A time that every record has, in ISO 8601 UTC with milliseconds. Throws if the service left it out. */
export function presentTime(time: Timestamp | undefined): string {
  if (time === undefined) throw new Error('The service sent a record without its time.');
  return timestampDate(time).toISOString();
}

/** A time that a record may lack, in the same form; null if it does. */
export function presentOptionalTime(time: Timestamp | undefined): string | null {
  return time === undefined ? null : timestampDate(time).toISOString();
}

/** A message that a service's response must hold. Throws if the service left it out. */
export function required<T>(message: T | undefined): T {
  if (message === undefined) throw new Error('The service sent a response without its record.');
  return message;
}

const EMPTY_OBJECT = LazyJson.of({});

/** An object of a service, to be sent as it is; an empty one if the service left it out. */
export function presentObject(json: Uint8Array): LazyJson {
  return json.length === 0 ? EMPTY_OBJECT : new LazyJson(json);
}
