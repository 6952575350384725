import { isJsonArray, isJsonObject, objectOrEmpty, setMember } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'];

/** Location of an operation in a document. */
export interface OperationPlace {
  readonly method: string;
  readonly path: string;
}

/** The location of the operation with an id, or with method and path such as `GET /things/{id}`; undefined: there is none. */
export function findOperation(document: JsonObject, id: string): OperationPlace | undefined {
  const [, wantedMethod, wantedPath] = /^([A-Z]+) (\/.*)$/.exec(id) ?? [];
  const paths = objectOrEmpty(document['paths']);
  for (const [path, item] of Object.entries(paths))
    for (const method of METHODS) {
      const operation = objectOrEmpty(item)[method];
      if (!isJsonObject(operation)) continue;
      const isWanted =
        wantedPath === undefined
          ? operation['operationId'] === id
          : path === wantedPath && method.toUpperCase() === wantedMethod;
      if (isWanted) return { method: method.toUpperCase(), path };
    }
  return undefined;
}

/**
 * Reduces the document to these operations and everything that they refer to, for a request validator. Every response becomes an empty 200,
 * and no sign-in is required, because addresses and places of credentials are checked elsewhere. Optional members not in `names` are
 * dropped: nobody sends them, and some vendors have a megabyte of them.
 */
export function pruneOpenApi(
  document: JsonObject,
  places: readonly OperationPlace[],
  names: ReadonlySet<string>,
): JsonObject {
  const pruned: Record<string, Json> = {
    ...(document['openapi'] === undefined
      ? { swagger: '2.0', ...(document['consumes'] !== undefined && { consumes: document['consumes'] }) }
      : { openapi: document['openapi'] }),
    info: { title: 'Pruned', version: '1.0.0' },
  };
  const copy = copier(document, pruned, names);
  const paths: Record<string, Json> = {};
  const source = objectOrEmpty(document['paths']);
  for (const { method, path } of places) {
    const item = objectOrEmpty(source[path]);
    const {
      security: _security,
      callbacks: _callbacks,
      ...operation
    } = objectOrEmpty(item[method.toLowerCase()]);
    const responses = { 200: { description: 'Success.' } };
    setMember(paths, path, {
      ...objectOrEmpty(paths[path]),
      ...(item['parameters'] !== undefined && { parameters: copy(item['parameters']) }),
      [method.toLowerCase()]: copy({ ...operation, responses }),
    });
  }
  return { ...pruned, paths };
}

/**
 * Copies values of a document, and everything that they refer to, into `pruned`. A reference into another operation is replaced by its
 * target.
 */
function copier(
  document: JsonObject,
  pruned: Record<string, Json>,
  names: ReadonlySet<string>,
): (value: Json) => Json {
  const done = new Set<string>();
  const copy = (value: Json): Json => {
    if (isJsonArray(value)) return value.map(copy);
    if (!isJsonObject(value)) return value;
    const { $ref: ref } = value;
    if (typeof ref !== 'string')
      return Object.fromEntries(
        Object.entries(value).map(([name, member]) => [
          name,
          name === 'properties' && isJsonObject(member)
            ? copyMembers(member, value['required'])
            : copy(member),
        ]),
      );
    const steps = ref
      .slice(2)
      .split('/')
      .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
    const target = steps.reduce<Json | undefined>(
      (found, step) => (isJsonArray(found) ? found[Number(step)] : objectOrEmpty(found)[step]),
      document,
    );
    if (target === undefined) throw new Error(`the description has no ${ref}`);
    if (steps[0] === 'paths') return copy(target);
    if (!done.has(ref)) {
      done.add(ref);
      putAt(pruned, steps, copy(target));
    }
    return value;
  };
  const copyMembers = (members: JsonObject, required: Json | undefined): JsonObject =>
    Object.fromEntries(
      Object.entries(members)
        .filter(([name]) => names.has(name) || (isJsonArray(required) && required.includes(name)))
        .map(([name, member]) => [name, copy(member)]),
    );
  return copy;
}

function putAt(pruned: Record<string, Json>, [step = '', ...rest]: readonly string[], target: Json): void {
  if (rest.length === 0) {
    setMember(pruned, step, target);
    return;
  }
  const inner: Record<string, Json> = { ...objectOrEmpty(pruned[step]) };
  putAt(inner, rest, target);
  setMember(pruned, step, inner);
}
