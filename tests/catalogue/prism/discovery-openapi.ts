import { isJsonArray, isJsonObject, objectOrEmpty } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';

/**
 * Converts a discovery document to OpenAPI 3.0 for a request validator. Written only from Google's documentation of the format,
 * independently of the importer, so that it can find the importer's mistakes. Bodies are closed, because Google rejects unknown members.
 */
export function discoveryAsOpenApi(document: JsonObject): JsonObject {
  const paths: Record<string, Record<string, Json>> = {};
  const common = Object.entries(objectOrEmpty(document['parameters'])).map(([name, parameter]) =>
    parameterOf(name, objectOrEmpty(parameter)),
  );
  for (const method of methodsOf(document)) {
    const { id, httpMethod, path, flatPath, parameters, request } = method;
    const address = `/${textOf(flatPath ?? path)}`;
    const own = Object.entries(objectOrEmpty(parameters)).map(([name, each]) =>
      parameterOf(name, objectOrEmpty(each)),
    );
    const names = [...address.matchAll(/\{\+?([^{}]+)\}/g)].map(([, name = '']) => name);
    const inPath = own.filter((each) => each['in'] === 'path' && names.includes(textOf(each['name'])));
    // A parameter with slashes has one name in `path`, and separate names in `flatPath`.
    const parts = names
      .filter((name) => !inPath.some((each) => each['name'] === name))
      .map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
    const item = (paths[address.replaceAll('{+', '{')] ??= {});
    item[textOf(httpMethod).toLowerCase()] = {
      operationId: textOf(id),
      parameters: [...inPath, ...parts, ...own.filter((each) => each['in'] === 'query'), ...common],
      ...(isJsonObject(request) && {
        requestBody: {
          content: { 'application/json': { schema: schemaOf(request) } },
        },
      }),
      responses: {},
    };
  }
  const schemas = Object.fromEntries(
    Object.entries(objectOrEmpty(document['schemas'])).map(([name, schema]) => [
      name,
      schemaOf(objectOrEmpty(schema)),
    ]),
  );
  return { openapi: '3.0.3', info: { title: 'Converted', version: '1.0.0' }, paths, components: { schemas } };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function* methodsOf(node: JsonObject): Generator<JsonObject> {
  for (const method of Object.values(objectOrEmpty(node['methods']))) yield objectOrEmpty(method);
  for (const resource of Object.values(objectOrEmpty(node['resources'])))
    yield* methodsOf(objectOrEmpty(resource));
}

function parameterOf(name: string, parameter: JsonObject): JsonObject {
  const { location, required, repeated } = parameter;
  const schema = schemaOf(parameter);
  return {
    name,
    in: location === 'path' ? 'path' : 'query',
    required: location === 'path' || required === true,
    schema: repeated === true ? { type: 'array', items: schema } : schema,
  };
}

function schemaOf(schema: JsonObject): JsonObject {
  const { $ref: ref, type, format, pattern, items, properties, additionalProperties } = schema;
  if (typeof ref === 'string') return { $ref: `#/components/schemas/${ref}` };
  const values = schema['enum'];
  const bounds = Object.fromEntries(
    (['minimum', 'maximum'] as const).flatMap((name) =>
      type === 'string' || schema[name] === undefined ? [] : [[name, Number(schema[name])]],
    ),
  );
  return {
    ...(type !== undefined && type !== 'any' && { type }),
    ...(format === 'date-time' || format === 'date' || format === 'int32' ? { format } : {}),
    ...(typeof pattern === 'string' && { pattern }),
    ...(isJsonArray(values) && { enum: values }),
    ...bounds,
    ...(isJsonObject(items) && { items: schemaOf(items) }),
    ...(isJsonObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [name, schemaOf(objectOrEmpty(each))]),
      ),
    }),
    ...(isJsonObject(additionalProperties)
      ? { additionalProperties: schemaOf(additionalProperties) }
      : isJsonObject(properties) && { additionalProperties: false }),
  };
}
