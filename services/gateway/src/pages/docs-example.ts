import type { JsonSchema } from '../http/json-schema.ts';
import type { OpenApiDocument, OperationObject } from '../openapi/document.ts';

/** A curl line for an operation, with a variable for the credential and a value for each required member. */
export function example(
  method: string,
  path: string,
  operation: OperationObject,
  document: OpenApiDocument,
): string {
  const address = `${document.servers[0]?.url ?? ''}${path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => `<${name}>`)}`;
  const lines = [method === 'get' ? `curl '${address}'` : `curl -X ${method.toUpperCase()} '${address}'`];
  const isOperators = operation.security?.some((scheme) => 'operator' in scheme) === true;
  lines.push(`-H "x-api-key: ${isOperators ? '$OPERATOR_KEY' : '$API_KEY'}"`);
  const schema = operation.requestBody?.content['application/json'].schema;
  if (schema !== undefined) {
    lines.push(`-H 'content-type: application/json'`, `-d '${JSON.stringify(sample(schema, document))}'`);
  }
  return lines.join(' \\\n  ');
}

/** A value of `schema`: required members only, the shortest there is of each. */
function sample(schema: JsonSchema, document: OpenApiDocument): unknown {
  const { $ref: reference, enum: values, type, default: fallback } = schema;
  if (reference !== undefined) {
    const name = reference.slice(reference.lastIndexOf('/') + 1);
    return sample(document.components.schemas[name] ?? {}, document);
  }
  if (fallback !== undefined) return fallback;
  if (values !== undefined) return values[0];
  switch (type) {
    case 'object': {
      const required = schema.required ?? [];
      const properties = schema.properties ?? {};
      return Object.fromEntries(required.map((name) => [name, sample(properties[name] ?? {}, document)]));
    }
    case 'array':
      return [];
    case 'integer':
    case 'number':
      return schema.minimum ?? 0;
    case 'boolean':
      return true;
    default:
      return '…';
  }
}
