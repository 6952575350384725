import { isJsonArray } from '@fairlead/connector-model/json';
import type { JsonObject } from '@fairlead/connector-model/json';
import { objectOf } from './json.ts';
import { mergeSchemas } from './shape.ts';

/**
 * The input schema as one object. A model's schema must not have a choice at its root, so the members of all options are merged; members
 * that every option requires are required.
 */
export function rootObject(schema: JsonObject): JsonObject {
  let root: JsonObject = { ...schema, type: 'object' };
  for (const keyword of ['anyOf', 'oneOf']) {
    const options = root[keyword];
    if (!isJsonArray(options)) continue;
    const { [keyword]: _, ...own } = root;
    const merged = mergeSchemas(
      options.map((option) => {
        const { description: __, title: ___, ...rest } = objectOf(option) ?? {};
        return rest;
      }),
      'any',
    );
    root = mergeSchemas([own, merged], 'all');
  }
  return { ...root, type: 'object', properties: root['properties'] ?? {} };
}
