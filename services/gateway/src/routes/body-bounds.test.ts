import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { jsonObject } from '@fairlead/rest-kit/fields';
import { toJsonSchema } from '@fairlead/rest-kit/json-schema';
import type { JsonSchema } from '@fairlead/rest-kit/json-schema';
import { routeTable } from './route-table.ts';

// zod creates an issue for each invalid member, and a response names the first 100 of them. A list of a hundred thousand wrong values is
// therefore refused for its length, before its members are read.

/** Paths below `part` that accept any number of members of a defined form. Objects without a defined form are not listed. */
function unbounded(part: unknown, path: string): readonly string[] {
  if (typeof part !== 'object' || part === null) return [];
  const { type, maxItems, maxProperties, additionalProperties = {} } = part as JsonSchema;
  const isRecord =
    typeof additionalProperties === 'object' && Object.keys(additionalProperties ?? {}).length > 0;
  const isOpen = (type === 'array' && maxItems === undefined) || (isRecord && maxProperties === undefined);
  return [
    ...(isOpen ? [path] : []),
    ...Object.entries(part).flatMap(([name, inner]) => unbounded(inner, `${path}.${name}`)),
  ];
}

const unboundedIn = (schema: z.ZodType): readonly string[] => unbounded(toJsonSchema(schema), 'body');

describe('lists and records of a request body', () => {
  test('that take any number of members are found, wherever they are', () => {
    const text = z.string();
    const schema = z.object({
      open: z.array(text),
      nested: z.object({ lists: z.array(z.array(text)).max(3) }).optional(),
      shared: z.object({ record: z.record(text, z.int()) }).meta({ id: 'BodyBoundsTest' }),
      bounded: z.array(text).max(3).nullable(),
      any: jsonObject,
    });
    expect(unboundedIn(schema)).toEqual([
      'body.properties.open',
      'body.properties.nested.properties.lists.items',
      'body.$defs.BodyBoundsTest.properties.record',
    ]);
    expect(z.array(text).max(3).safeParse([1, 2, 3, 4]).error?.issues).toHaveLength(1);
  });

  test.each(
    routeTable.flatMap(({ operationId, body }) => (body === undefined ? [] : [[operationId, body] as const])),
  )('%s has a maximum for each', (_operationId, body) => {
    expect(unboundedIn(body)).toEqual([]);
  });
});
