import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import { z } from 'zod';

/** The API's largest integer, except for history ids. */
export const MAX_INT32 = 2_147_483_647;

/** A record id in a path, query or body: an integer from 1 to the largest int32. */
export const recordId = z.int32().min(1).max(MAX_INT32);

/** A record id in a path; the 404 for an invalid value names the value too. */
export const echoedId = z.int32().min(1).max(MAX_INT32);

/** The slug of an application or tool. */
export const slug = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'must be a slug: letters, digits, dots, hyphens and underscores');

/** A GUID of any version, in either case; converted to lower case, in which ids are stored. */
export const guidText = z.guid().toLowerCase();

/** Search words; empty or blank means no search (the only query parameter that may be empty). */
export const searchText = z
  .string()
  .max(1000)
  .default('')
  .describe('Searches by meaning; empty or blank: no search.');

/** The range of timestamps in responses and between services. */
const EARLIEST = new Date('0001-01-01T00:00:00.000Z');
const LATEST = new Date('9999-12-31T23:59:59.999Z');

/** A time in ISO 8601 with its offset, parsed to a Date. */
export const instant = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  // The offset can move a time out of the range of its text.
  .refine((time) => time >= EARLIEST && time <= LATEST, 'must be in the years 0001 to 9999 in UTC');

/** A time in a response, in ISO 8601 UTC with milliseconds. */
export const timestamp = z.iso.datetime({ precision: 3 });

const OPEN_OBJECT = 0x7b;

/** Any JSON value; passed on, possibly unparsed. */
export const passedValue = z.custom<JsonValue | LazyJson>((value) => value !== undefined);

/** A JSON object with any members; its TypeScript type is `T`. */
function objectOf<T>(isObject: (value: unknown) => boolean): z.ZodType<T> {
  return (
    z
      // Not a record schema, because that would copy a hundred thousand members. A body contains only JSON anyway.
      .custom<T>(isObject, {
        error: ({ input }) => (input === undefined ? undefined : 'must be an object'),
      })
      .meta({ type: 'object', additionalProperties: {} })
  );
}

/** A completely parsed JSON object with any members. */
export const jsonObject = objectOf<JsonObject>(isParsedObject);

/** A JSON object that is passed on; it or its members may be unparsed. */
export const passedObject = objectOf<LazyObject | LazyJson>((value) =>
  value instanceof LazyJson ? isObjectText(value) : isParsedObject(value),
);

function isParsedObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof LazyJson);
}

function isObjectText({ bytes }: LazyJson): boolean {
  return bytes[0] === OPEN_OBJECT;
}

/** Any JSON from a service, in a response. */
export const lazyValue = z.custom<LazyJson | null>((value) => value === null || value instanceof LazyJson);

/** A JSON object from a service, in a response. */
export const lazyObject = z
  .custom<LazyJson>((value) => value instanceof LazyJson && isObjectText(value))
  .meta({ type: 'object', additionalProperties: {} });

/** Text of `min` to `max` code points, as zod and JSON Schema count them. */
export function text(min: number, max: number): z.ZodString {
  return z.string().min(min).max(max);
}

/**
 * An object of at most `maxMembers` members of this form. The number is checked first, because each invalid member is
 * an issue.
 */
export function boundedRecord<T extends z.ZodType>(member: T, maxMembers: number) {
  return z
    .custom<Readonly<Record<string, unknown>>>(
      (value) =>
        typeof value === 'object' &&
        value !== null &&
        !Array.isArray(value) &&
        Object.keys(value).length <= maxMembers,
      `must be an object with at most ${maxMembers} members`,
    )
    .pipe(z.record(z.string(), member))
    .meta({
      type: 'object',
      additionalProperties: z.toJSONSchema(member),
      maxProperties: maxMembers,
    });
}
