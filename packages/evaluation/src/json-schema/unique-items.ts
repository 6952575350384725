import { isJsonArray, isJsonObject } from '@fairlead/connector-model/json';
import type { Json } from '@fairlead/connector-model/json';
import type { FuncKeywordDefinition, SchemaValidateFunction } from 'ajv';

// ajv reads a check's errors from a property of its function.
const validate: SchemaValidateFunction = (isRequired: boolean, items: readonly Json[]): boolean => {
  if (!isRequired) return true;
  const seen = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const text = canonicalText(item);
    const first = seen.get(text);
    if (first !== undefined) {
      const message = `must NOT have duplicate items (items ## ${first} and ${index} are identical)`;
      validate.errors = [{ keyword: 'uniqueItems', message, params: { i: index, j: first } }];
      return false;
    }
    seen.set(text, index);
  }
  return true;
};

/** The keyword `uniqueItems`, linear in the size of the array: ajv's own compares every item with every other one. */
export const uniqueItems: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  errors: true,
  validate,
};

/** The JSON text of a value with sorted members: the same for equal values. */
function canonicalText(value: Json): string {
  if (isJsonArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).toSorted();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonicalText(value[name] ?? null)}`).join(',')}}`;
}
