import { isJsonObject, objectOrEmpty, setMember } from '../json.ts';
import type { Json, JsonObject } from '../json.ts';
import type { ImportedOperation } from '../schema/import-source.ts';
import type { ApiOperation, ApiParameter } from './api-document.ts';
import { memberTree } from './member-tree.ts';
import { MAX_IMPORTED_LEVELS, readSchema } from './read-schema.ts';
import { memberOf, viewOf } from './schema-view.ts';
import type { Resolve, SchemaView } from './schema-view.ts';

/** The inputs of an imported tool and the request that sends them. */
export interface BuiltInputs {
  readonly inputSchema: JsonObject;
  readonly url: string;
  readonly query: JsonObject;
  /** Styles of query parameters other than the repeated one. */
  readonly queryStyles: Record<string, 'comma' | 'brackets'>;
  readonly headers: Record<string, string>;
  readonly body: Json;
}

/** Reports a problem; the path starts at the operation. */
export type Report = (path: readonly string[], message: string) => void;

/** The schema of an input that is a file. */
const FILE: JsonObject = { type: 'object', format: 'file' };

/** A place in the request for a value. */
interface Target {
  readonly view: SchemaView;
  readonly isRequired: boolean;
  readonly isFile: boolean;
  readonly write: (value: Json) => void;
}

/** Builds the inputs that the curation names. Reports parameters that are required but not named. */
export function buildInputs(
  api: ApiOperation,
  o: { readonly curation: ImportedOperation; readonly resolve: Resolve; readonly report: Report },
): BuiltInputs {
  const request = openRequest(api, o.resolve);
  const properties: Record<string, Json> = {};
  const required: string[] = [];
  for (const [name, given] of Object.entries(o.curation.inputs)) {
    const input = typeof given === 'string' ? { description: given } : given;
    const target = request.find(input.from, name);
    if (target === undefined) {
      o.report(
        ['inputs', name],
        input.from === undefined
          ? 'is no parameter of the operation and no member of its body; say `from`'
          : `the operation has no ${input.from}`,
      );
      continue;
    }
    target.write(`{{input.${name}}}`);
    const keep = memberTree(input.members ?? []);
    const descriptions = Object.entries(input.memberDescriptions ?? {});
    for (const [member, paths] of [
      ['members', input.members ?? []],
      ['memberDescriptions', descriptions.map(([path]) => path)],
    ] as const)
      for (const path of paths)
        if (!hasPath(target.view, path, o.resolve))
          o.report(['inputs', name, member], `the description has no member ${path}`);
    const schema = target.isFile
      ? FILE
      : readSchema(target.view, {
          resolve: o.resolve,
          use: 'input',
          keep,
          levels: MAX_IMPORTED_LEVELS - 2,
        });
    properties[name] = {
      // A `type` in the curation replaces the vendor's schema.
      ...(input.schema?.['type'] === undefined
        ? descriptions.reduce((whole, [path, text]) => withDescription(whole, path.split('.'), text), schema)
        : {}),
      description: input.description,
      ...(input.default === undefined ? {} : { default: input.default }),
      ...input.schema,
    };
    if ((input.isRequired ?? target.isRequired) && input.default === undefined) required.push(name);
  }
  for (const [address, value] of Object.entries(o.curation.constants)) {
    const target = request.find(address, address);
    if (target === undefined) o.report(['constants', address], 'the operation has no such parameter');
    else target.write(value);
  }
  for (const name of request.missing())
    o.report([], `the parameter ${name} is required: give it as an input or a constant`);
  return {
    inputSchema: { type: 'object', properties, ...(required.length === 0 ? {} : { required }) },
    ...request.built(),
  };
}

function openRequest(api: ApiOperation, resolve: Resolve) {
  const values = new Map<ApiParameter, Json>();
  let body: Json | undefined;
  const bodyView = api.body === undefined ? undefined : viewOf(api.body, resolve);

  const parameterTarget = (parameter: ApiParameter): Target | undefined => {
    const view = viewOf(parameter.schema, resolve);
    if (view === undefined) return undefined;
    const write = (value: Json): void => void values.set(parameter, value);
    return { view, isRequired: parameter.isRequired, isFile: false, write };
  };
  const bodyTarget = (steps: readonly string[]): Target | undefined => {
    let view = bodyView;
    let isRequired = steps.length > 0;
    for (const step of steps) {
      const names = view?.schema['required'];
      isRequired &&= Array.isArray(names) && names.includes(step);
      view = view === undefined ? undefined : memberOf(view, step, resolve);
    }
    if (view === undefined) return undefined;
    const isFile = api.bodyType === 'multipart/form-data' && steps.length === 1 && isBinary(view);
    return { view, isRequired, isFile, write: (value) => void (body = withMember(body, steps, value)) };
  };

  return {
    find(from: string | undefined, name: string): Target | undefined {
      const [place, ...steps] = (from ?? '').split('.');
      if (place === 'body') return bodyTarget(steps);
      const isAt = (each: ApiParameter): boolean =>
        from === undefined ? each.name === name : each.in === place && each.name === steps.join('.');
      const parameter = api.parameters.find(isAt);
      if (parameter !== undefined) return parameterTarget(parameter);
      return from === undefined ? bodyTarget([name]) : undefined;
    },
    missing: (): readonly string[] =>
      api.parameters.filter((each) => each.isRequired && !values.has(each)).map(({ name }) => name),
    built() {
      const sent = (place: ApiParameter['in']): (readonly [string, Json])[] =>
        [...values].flatMap(([each, value]) => (each.in === place ? [[each.name, value] as const] : []));
      const url = sent('path').reduce(
        (path, [name, value]) =>
          path.replace(`{${name}}`, () => (isTemplate(value) ? value : encodeURIComponent(textOf(value)))),
        api.path,
      );
      const headers = Object.fromEntries(sent('header').map(([name, value]) => [name, textOf(value)]));
      const queryStyles = Object.fromEntries(
        [...values.keys()].flatMap(({ name, style }) =>
          style === undefined || style === 'repeat' ? [] : [[name, style] as const],
        ),
      );
      return { url, query: Object.fromEntries(sent('query')), queryStyles, headers, body: body ?? null };
    },
  };
}

/** Whether a part of a multipart body is a file. OpenAPI 3.0, Swagger 2.0 and OpenAPI 3.1 say it in different ways. */
function isBinary({ schema }: SchemaView): boolean {
  return schema['format'] === 'binary' || schema['type'] === 'file' || 'contentMediaType' in schema;
}

/** Whether a schema has a member at a path such as `owner.id`. */
export function hasPath(view: SchemaView, path: string, resolve: Resolve): boolean {
  let at: SchemaView | undefined = view;
  for (const step of path.split('.')) at = at === undefined ? undefined : memberOf(at, step, resolve);
  return at !== undefined;
}

/** The schema with a description of the member at a path, which leads through the items of lists. */
function withDescription(schema: JsonObject, steps: readonly string[], description: string): JsonObject {
  const [step, ...rest] = steps;
  if (step === undefined) return { ...schema, description };
  const { items } = schema;
  if (isJsonObject(items)) return { ...schema, items: withDescription(items, steps, description) };
  const properties = objectOrEmpty(schema['properties']);
  const member = properties[step];
  // The member is deeper than the schema is described, and the part above is open.
  if (!isJsonObject(member)) return schema;
  return { ...schema, properties: { ...properties, [step]: withDescription(member, rest, description) } };
}

function withMember(object: Json | undefined, [step, ...rest]: readonly string[], value: Json): Json {
  if (step === undefined) return value;
  const copy: Record<string, Json> = isJsonObject(object) ? { ...object } : {};
  setMember(copy, step, withMember(copy[step], rest, value));
  return copy;
}

/** Whether a value is a single template, whose value is encoded when the request is built. */
function isTemplate(value: Json): value is string {
  return typeof value === 'string' && /^\{\{(?:input|field)\.\w+\}\}$/.test(value);
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
