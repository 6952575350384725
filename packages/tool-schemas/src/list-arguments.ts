import { FILTER_OPERATORS, SORT_DIRECTIONS } from '@fairlead/connector-model/enumerations';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { objectOf } from './json.ts';
import { rootObject } from './root.ts';
import { describe } from './shape.ts';

/** The list arguments that a tool supports. */
export interface ListSupport {
  readonly supportsFilters: boolean;
  readonly supportsSort: boolean;
  readonly supportsTopOffset: boolean;
  readonly maxFilters: number;
  readonly maxSorts: number;
}

/** The arguments of an execution besides its fields. */
export type ListArgument = 'filters' | 'sorts' | 'top' | 'offset';

const MAX_TOP = 100;
const SCALARS = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }];

/** The input schema with the list arguments as members. If an input has the name of an argument, the input stays. */
export function withListArguments(inputSchema: JsonObject, support: ListSupport): JsonObject {
  const names = listArguments(inputSchema, support);
  if (names.length === 0) return inputSchema;
  const schemas = schemasOf(support);
  const added = Object.fromEntries(names.map((name) => [name, schemas[name]]));
  return { ...inputSchema, properties: { ...objectOf(inputSchema['properties']), ...added } };
}

/** The names of the arguments that withListArguments adds. */
export function listArguments(inputSchema: JsonObject, support: ListSupport): readonly ListArgument[] {
  const { supportsFilters, supportsSort, supportsTopOffset } = support;
  const supported: ListArgument[] = [
    ...(supportsFilters ? (['filters'] as const) : []),
    ...(supportsSort ? (['sorts'] as const) : []),
    ...(supportsTopOffset ? (['top', 'offset'] as const) : []),
  ];
  if (supported.length === 0) return [];
  const { shape } = describe(rootObject(inputSchema));
  return supported.filter((name) => !(shape.kind === 'object' && shape.properties.has(name)));
}

function schemasOf({ maxFilters, maxSorts }: ListSupport): Readonly<Record<ListArgument, Json>> {
  return {
    filters: {
      type: 'array',
      maxItems: maxFilters,
      description:
        'Conditions that all must hold. Text is literal and case-sensitive; the value of `in` is an array, that of `isNull` true or false.',
      items: {
        type: 'object',
        properties: {
          field: { type: 'string', description: 'A member of the items that the tool returns.' },
          operator: { type: 'string', enum: [...FILTER_OPERATORS] },
          value: { anyOf: [...SCALARS, { type: 'array', items: { anyOf: SCALARS } }] },
        },
        required: ['field', 'operator', 'value'],
        additionalProperties: false,
      },
    },
    sorts: {
      type: 'array',
      maxItems: maxSorts,
      description: 'The order of the items; the first clause counts most.',
      items: {
        type: 'object',
        properties: {
          field: { type: 'string', description: 'A member of the items that the tool returns.' },
          direction: { type: 'string', enum: [...SORT_DIRECTIONS] },
        },
        required: ['field', 'direction'],
        additionalProperties: false,
      },
    },
    top: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_TOP,
      description: 'How many items are returned, at most.',
    },
    offset: { type: 'integer', minimum: 0, description: 'How many items are left out before those.' },
  };
}
