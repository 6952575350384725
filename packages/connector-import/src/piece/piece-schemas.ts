import { plainText } from '@fairlead/connector-model/import/plain-text';
import { isJsonArray, isJsonObject, objectOrEmpty } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';

const MAX_TEXT = 500;
const MAX_OPTIONS = 200;

/** The input schema of an action, built from its properties. */
export function inputSchemaOf(props: JsonObject): JsonObject {
  const properties = Object.entries(props).flatMap(([name, value]) => {
    const prop = objectOrEmpty(value);
    return prop['type'] === 'MARKDOWN' ? [] : [{ name, prop }];
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties.map(({ name, prop }) => [name, inputOf(prop)])),
    required: properties.flatMap(({ name, prop }) =>
      prop['required'] === true && isAbsent(prop['defaultValue']) ? [name] : [],
    ),
    additionalProperties: false,
  };
}

function inputOf(prop: JsonObject): JsonObject {
  const { displayName, description, defaultValue } = prop;
  const title = textOf(displayName);
  const text = textOf(description) ?? title;
  const isPlain = ['string', 'number', 'boolean'].includes(typeof defaultValue);
  return {
    ...(title !== undefined && { title }),
    ...(text !== undefined && { description: text }),
    ...typeOf(prop),
    ...(isPlain && defaultValue !== undefined && defaultValue !== '' && { default: defaultValue }),
  };
}

/** Only the vendor knows the valid values of these properties (DROPDOWN, DYNAMIC), so any value is valid. */
function typeOf(prop: JsonObject): JsonObject {
  switch (prop['type']) {
    case 'SHORT_TEXT':
    case 'LONG_TEXT':
    case 'SECRET_TEXT':
    case 'COLOR':
      return { type: 'string' };
    case 'DATE_TIME':
      return { type: 'string', format: 'date-time' };
    case 'NUMBER':
      return { type: 'number' };
    case 'CHECKBOX':
      return { type: 'boolean' };
    case 'STATIC_DROPDOWN':
      return choiceOf(prop);
    case 'STATIC_MULTI_SELECT_DROPDOWN':
      return { type: 'array', items: choiceOf(prop) };
    case 'MULTI_SELECT_DROPDOWN':
      return { type: 'array' };
    case 'ARRAY': {
      const members = prop['properties'];
      return {
        type: 'array',
        items: isJsonObject(members ?? null) ? inputSchemaOf(objectOrEmpty(members)) : {},
      };
    }
    case 'OBJECT':
    case 'DYNAMIC':
      return { type: 'object' };
    case 'FILE':
      return { type: 'object', format: 'file' };
    default:
      return {};
  }
}

function choiceOf(prop: JsonObject): JsonObject {
  const options = objectOrEmpty(prop['options'])['options'];
  const choices = (options !== undefined && isJsonArray(options) ? options : []).flatMap((option) => {
    const { label, value } = objectOrEmpty(option);
    if (value === undefined || (typeof value === 'object' && value !== null)) return [];
    return [{ const: value, title: textOf(label) ?? String(value) }];
  });
  return choices.length === 0 || choices.length > MAX_OPTIONS ? {} : { oneOf: choices };
}

/** The output schema, as far as the piece describes it. Its members have no type, because many are absent or null. */
export function outputSchemaOf(declared: Json | undefined): JsonObject {
  return { type: 'object', properties: membersOf(objectOrEmpty(declared)['fields']) };
}

function membersOf(fields: Json | undefined): JsonObject {
  const list = fields !== undefined && isJsonArray(fields) ? fields.map(objectOrEmpty) : [];
  return Object.fromEntries(
    list.flatMap(({ key, label, children, listItems }) => {
      if (typeof key !== 'string') return [];
      const description = textOf(label);
      const part: JsonObject = {
        ...(description !== undefined && { description }),
        ...(children !== undefined && { properties: membersOf(children) }),
        ...(listItems !== undefined && { items: { properties: membersOf(listItems) } }),
      };
      return [[key, part]];
    }),
  );
}

function isAbsent(value: Json | undefined): boolean {
  return value === undefined || value === null || value === '';
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? plainText(value, MAX_TEXT) : undefined;
}
