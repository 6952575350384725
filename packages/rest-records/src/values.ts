import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Timestamp } from '@bufbuild/protobuf/wkt';

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
