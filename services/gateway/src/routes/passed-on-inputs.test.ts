import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { jsonObject, passedObject } from '@fairlead/rest-kit/fields';
import { routeTable } from './route-table.ts';

/** The schema below wrappers, such as optional(), that reads the input. */
function read(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  if (
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  )
    return read(schema.def.innerType);
  return schema instanceof z.ZodPipe ? read(schema.def.in) : schema;
}

/** The schema at a path of a body; undefined: the part at this path is not parsed. */
function schemaAt(schema: z.core.$ZodType | undefined, path: readonly string[]): z.core.$ZodType | undefined {
  const [name, ...rest] = path;
  const reads = read(schema);
  if (name === undefined) return reads;
  if (name === '*' && reads instanceof z.ZodArray) return schemaAt(reads.def.element, rest);
  if (reads instanceof z.ZodObject) {
    // instanceof narrows to ZodObject without the types of its members.
    const shape = reads.def.shape as Readonly<Record<string, z.core.$ZodType>>;
    return schemaAt(shape[name], rest);
  }
  // A member of an unparsed object is not parsed, either.
  return name === '*' && rest.length === 0 ? reads : undefined;
}

const unparsed = new LazyJson(Buffer.from('{"a":1}'));
const passesOn = (schema: z.core.$ZodType | undefined): boolean =>
  schema !== undefined && z.safeParse(schema, unparsed).success;

test('a schema that reads parsed JSON is found out, wherever it is', () => {
  const body = z.object({
    one: z.object({ passed: passedObject.default({}), read: jsonObject }).optional(),
    many: z.array(z.object({ read: jsonObject })),
  });
  const at = (path: string) => passesOn(schemaAt(body, path.split('.')));
  expect(['one.passed', 'one.passed.*'].every(at)).toBe(true);
  expect(['one.read', 'one.read.*', 'many.*.read', 'many.*.none', 'one', 'none'].some(at)).toBe(false);
});

const passed = routeTable.flatMap(({ operationId, body, passesOn: paths }) =>
  paths.map((path) => [operationId, path, body] as const),
);

test.each(passed)('%s gets unparsed JSON at %s, where its schema passes it on', (_id, path, body) => {
  expect(passesOn(schemaAt(body, path.split('.')))).toBe(true);
});

test('there are routes that pass on', () => {
  expect(passed.length).toBeGreaterThan(10);
});
