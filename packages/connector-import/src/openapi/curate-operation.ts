import { isJsonArray, isJsonObject } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { ApiDocument, ApiOperation, ApiParameter } from '@fairlead/connector-model/import/api-document';
import { plainText } from '@fairlead/connector-model/import/plain-text';
import { viewOf } from '@fairlead/connector-model/import/schema-view';
import type { SchemaView } from '@fairlead/connector-model/import/schema-view';
import type { ImportedOperation } from '@fairlead/connector-model/schema/import-source';
import type { OperationChoice } from './list-operations.ts';

const MAX_DESCRIPTION = 300;
const MAX_INPUT_TEXT = 300;
const MAX_NAME = 100;
const MAX_INPUT_NAME = 60;
/** Members of a body that become inputs of their own. */
const MAX_SPREAD = 100;
/** Headers that the HTTP client sets (OpenAPI "Parameter Object"). */
const OWN_HEADERS = ['accept', 'content-type', 'authorization'];

type Input = Exclude<ImportedOperation['inputs'][string], string>;

/** The default curation of an operation: each parameter and each member of the body is an input, with the document's texts. */
export function curateOperation(
  api: ApiDocument,
  operation: ApiOperation,
  { operation: listed, wanted }: OperationChoice,
  toolSlug: string,
): ImportedOperation {
  const { raw } = listed;
  const summary = textOf(raw['summary'], MAX_NAME);
  const description =
    textOf(wanted?.description, MAX_DESCRIPTION) ??
    textOf(raw['description'], MAX_DESCRIPTION) ??
    textOf(raw['summary'], MAX_DESCRIPTION) ??
    `Calls ${listed.id}.`.slice(0, MAX_DESCRIPTION);
  const [tag] = isJsonArray(raw['tags']) ? raw['tags'] : [];
  return {
    operation: listed.id,
    toolSlug,
    aliases: [],
    ...(summary === undefined ? {} : { toolName: summary }),
    description,
    category: textOf(tag, MAX_NAME) ?? 'Operations',
    inputs: inputsOf(api, operation),
    constants: {},
  };
}

/** The name from which a tool's slug is derived. */
export function operationName({ operation: { operationId, method, path } }: OperationChoice): string {
  return operationId ?? `${method.toLowerCase()} ${path}`;
}

function inputsOf(api: ApiDocument, operation: ApiOperation): Record<string, Input> {
  const inputs = new Map<string, Input>();
  const add = (name: string, input: Input): void => void inputs.set(freeName(name, inputs), input);
  const paged = operation.list?.items === undefined ? [] : operation.list.parameters;
  const rank = (parameter: ApiParameter): number => ['path', 'query', 'header'].indexOf(parameter.in);
  for (const parameter of operation.parameters.toSorted((a, b) => rank(a) - rank(b))) {
    const { name } = parameter;
    if (parameter.in === 'header' && OWN_HEADERS.includes(name.toLowerCase())) continue;
    if (parameter.in === 'query' && paged.includes(name)) continue;
    add(name, {
      description: textOf(parameter.schema['description'], MAX_INPUT_TEXT) ?? spoken(name),
      from: `${parameter.in}.${name}`,
    });
  }
  for (const [name, input] of bodyInputs(api, operation)) add(name, input);
  return Object.fromEntries(inputs);
}

function bodyInputs(api: ApiDocument, operation: ApiOperation): readonly (readonly [string, Input])[] {
  if (operation.body === undefined) return [];
  const view = viewOf(operation.body, api.resolve);
  const members = view === undefined ? undefined : spreadOf(view);
  if (view === undefined || members === undefined)
    return [
      [
        'body',
        { description: textOf(view?.schema['description'], MAX_INPUT_TEXT) ?? 'The body.', from: 'body' },
      ],
    ];
  return members.flatMap(([name, raw]) => {
    const schema = viewOf(raw, api.resolve, view.open)?.schema ?? {};
    // Only the vendor sets these values.
    if (schema['readOnly'] === true) return [];
    const description = textOf(schema['description'], MAX_INPUT_TEXT) ?? spoken(name);
    return [[name, { description, from: `body.${name}` }] as const];
  });
}

/** The members of a body whose schema is an object with known members; undefined: the body is a single input. */
function spreadOf({ schema, variants }: SchemaView): readonly (readonly [string, JsonObject])[] | undefined {
  const { properties } = schema;
  if (variants.length > 0 || !isJsonObject(properties)) return undefined;
  const names = Object.keys(properties);
  // In the target, a dot would mean a member of a member.
  if (
    names.length === 0 ||
    names.length > MAX_SPREAD ||
    names.some((name) => name === '' || name.includes('.'))
  )
    return undefined;
  return names.map((name) => {
    const raw = properties[name];
    return [name, isJsonObject(raw) ? raw : {}] as const;
  });
}

/** A name that templates accept and that no other input has. */
function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  const plain = name
    .slice(0, MAX_INPUT_NAME)
    .replaceAll(/[^A-Za-z0-9_]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  const base = /^[A-Za-z]/.test(plain) ? plain : `input_${plain}`.replace(/_$/, '');
  if (!taken.has(base)) return base;
  let number = 2;
  while (taken.has(`${base}_${String(number)}`)) number += 1;
  return `${base}_${String(number)}`;
}

/** `customer_id` → Customer id. */
function spoken(name: string): string {
  const words = name
    .slice(0, MAX_NAME)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase();
  return words === '' ? 'A value.' : `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`;
}

/** The plain text of a document's value, cut to `limit`; undefined: the value is not a text. */
export function textOf(value: Json | undefined, limit: number): string | undefined {
  return typeof value === 'string' ? plainText(value, limit) : undefined;
}
