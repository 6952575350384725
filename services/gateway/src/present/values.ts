import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Timestamp } from '@bufbuild/protobuf/wkt';

/** A time that every record has, in ISO 8601 UTC with milliseconds. Throws where the service left it out. */
export function presentTime(time: Timestamp | undefined): string {
  if (time === undefined) throw new Error('A record came without its time.');
  return timestampDate(time).toISOString();
}

/** A message that an answer must hold. Throws where the service left it out. */
export function present<T>(message: T | undefined): T {
  if (message === undefined) throw new Error('An answer came without its record.');
  return message;
}
