import type { OpenApiDocument, OperationObject, ParameterObject } from '@fairlead/rest-kit/openapi/document';
import { camelCase, capitalise, pascalCase } from './naming.ts';

/** The model from which the clients of every language are generated. */
export interface ClientModel {
  readonly resources: readonly Resource[];
  /** JSON Schemas by name: those of the document, and one for each query and each inline body or response. */
  readonly schemas: Readonly<Record<string, Schema>>;
  /** Every error code that an operation names, sorted. */
  readonly errorCodes: readonly string[];
}

/** A JSON Schema; members that only tools read are untyped. */
export type Schema = Readonly<Record<string, unknown>>;

/** The operations of one tag. */
export interface Resource {
  /** `OnPremAgents` */
  readonly className: string;
  /** `onPremAgents` */
  readonly property: string;
  readonly description: string;
  readonly operations: readonly Operation[];
}

/** One method of a client. */
export interface Operation {
  /** `list`, `setDefault`; unique within its resource. */
  readonly name: string;
  readonly summary: string;
  readonly description: string | undefined;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** As OpenAPI writes it. */
  readonly path: string;
  readonly pathParameters: readonly PathParameter[];
  readonly query: Query | undefined;
  readonly body: Body | undefined;
  readonly answer: Answer;
  /** The response is streamed and may be too large for memory, so clients can also get it as a stream. */
  readonly isStreamed: boolean;
}

export interface PathParameter {
  readonly name: string;
  readonly type: 'integer' | 'string';
  readonly description: string | undefined;
}

/** The query of an operation: a schema of the model, and its members. */
export interface Query {
  readonly schema: string;
  readonly parameters: readonly ParameterObject[];
}

/** The JSON body of an operation: a schema of the model. */
export interface Body {
  readonly schema: string;
  readonly isRequired: boolean;
}

/** The response of an operation; the schemas are the model's. */
export type Answer =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'record'; readonly schema: string; readonly isNullable: boolean }
  | { readonly kind: 'list'; readonly item: string };

/**
 * The model of a document; `streamed` are the ids of operations whose response is a stream. Throws if the document has
 * something that the clients cannot express.
 */
export function clientModel(document: OpenApiDocument, streamed: ReadonlySet<string>): ClientModel {
  const builder = new Builder(document, streamed);
  return builder.build();
}

class Builder {
  readonly #document: OpenApiDocument;
  readonly #streamed: ReadonlySet<string>;
  readonly #schemas: Map<string, Schema>;

  constructor(document: OpenApiDocument, streamed: ReadonlySet<string>) {
    this.#document = document;
    this.#streamed = streamed;
    this.#schemas = new Map(Object.entries(document.components.schemas));
  }

  build(): ClientModel {
    const resources = this.#document.tags
      .map((tag) => this.#resource(tag.name, tag.description))
      .filter(({ operations }) => operations.length > 0);
    const sorted = [...this.#schemas].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return { resources, schemas: Object.fromEntries(sorted), errorCodes: errorCodes(this.#document) };
  }

  #resource(tag: string, description: string): Resource {
    const className = pascalCase(tag);
    const operations: Operation[] = [];
    for (const [path, methods] of Object.entries(this.#document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        if (operation.tags[0] === tag && !hasBytes(operation))
          operations.push(this.#operation(className, method, path, operation));
      }
    }
    const names = operations.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw new Error(`${tag} has two operations that would be called ${twice}.`);
    return { className, property: camelCase(tag), description, operations };
  }

  #operation(className: string, method: string, path: string, operation: OperationObject): Operation {
    const { operationId, parameters = [] } = operation;
    const query = parameters.filter((parameter) => parameter.in === 'query');
    const body = this.#body(operation);
    const bodyMembers = Object.keys(
      (body === undefined ? undefined : propertiesOf(this.#schemas.get(body.schema))) ?? {},
    );
    const clash = query.find(({ name }) => bodyMembers.includes(name));
    // Query and body parameters are passed to clients in one object.
    if (clash !== undefined)
      throw new Error(`${operationId}: ${clash.name} is in the query and in the body.`);
    return {
      name: methodName(operationId, className),
      summary: operation.summary,
      description: operation.description,
      method: methodOf(method),
      path,
      pathParameters: parameters.filter((parameter) => parameter.in === 'path').map(pathParameter),
      query: query.length === 0 ? undefined : { schema: this.#query(operationId, query), parameters: query },
      body,
      answer: this.#answer(operation),
      isStreamed: this.#streamed.has(operationId),
    };
  }

  #query(operationId: string, parameters: readonly ParameterObject[]): string {
    return this.#name(`${capitalise(operationId)}Query`, {
      type: 'object',
      properties: Object.fromEntries(
        parameters.map(({ name, description, schema }) => [
          name,
          { ...schema, ...(description !== undefined && { description }) },
        ]),
      ),
      required: parameters.filter(({ required }) => required).map(({ name }) => name),
    });
  }

  #body({ operationId, requestBody }: OperationObject): Body | undefined {
    if (requestBody === undefined) return undefined;
    const schema = requestBody.content[JSON_TYPE]?.schema;
    if (schema === undefined) throw new Error(`${operationId}: its body is no JSON.`);
    const name = refOf(schema) ?? this.#name(`${capitalise(operationId)}Request`, schema);
    return { schema: name, isRequired: requestBody.required };
  }

  #answer({ operationId, responses }: OperationObject): Answer {
    const [success] = Object.entries(responses).filter(([status]) => status.startsWith('2'));
    if (success === undefined || '$ref' in success[1]) throw new Error(`${operationId}: no success answer.`);
    const schema = success[1].content?.[JSON_TYPE]?.schema;
    if (schema === undefined) return { kind: 'nothing' };
    const item = listItem(schema);
    if (item !== undefined) {
      return { kind: 'list', item: refOf(item) ?? this.#name(`${capitalise(operationId)}Item`, item) };
    }
    const record = withoutNull(schema);
    return {
      kind: 'record',
      schema: refOf(record) ?? this.#name(`${capitalise(operationId)}Result`, record),
      isNullable: record !== schema,
    };
  }

  #name(name: string, schema: Schema): string {
    if (this.#schemas.has(name)) throw new Error(`The document has a schema called ${name} already.`);
    this.#schemas.set(name, schema);
    return name;
  }
}

const JSON_TYPE = 'application/json';

/** Whether bytes are sent or returned instead of JSON: these operations' methods in the TypeScript client are written by hand. */
function hasBytes({ requestBody, responses }: OperationObject): boolean {
  const success = Object.entries(responses).flatMap(([status, response]) =>
    status.startsWith('2') && !('$ref' in response) && response.content ? [response.content] : [],
  );
  return [...(requestBody ? [requestBody.content] : []), ...success].some(
    (content) => !(JSON_TYPE in content),
  );
}

/**
 * Shortens operation ids: `listConnections` of `Connections` becomes `list`, `setDefaultConnection` becomes `setDefault`, `listExecutions`
 * of `Tools` stays.
 */
function methodName(operationId: string, className: string): string {
  const noun = className.replace(/s$/, '');
  const short = operationId
    .replace(new RegExp(String.raw`^([a-z]+)${noun}s?(?=[A-Z]|$)`), '$1')
    .replace(new RegExp(`${noun}s?$`), '');
  return short === '' ? operationId : short;
}

function methodOf(method: string): Operation['method'] {
  switch (method) {
    case 'get':
      return 'GET';
    case 'post':
      return 'POST';
    case 'put':
      return 'PUT';
    case 'patch':
      return 'PATCH';
    case 'delete':
      return 'DELETE';
    default:
      throw new Error(`The clients have no ${method}.`);
  }
}

function pathParameter({ name, description, schema }: ParameterObject): PathParameter {
  const type = schema['type'];
  if (type !== 'integer' && type !== 'string') throw new Error(`The path parameter ${name} is no scalar.`);
  return { name, type, description };
}

const REF = '#/components/schemas/';

function refOf(schema: Schema): string | undefined {
  const ref = schema['$ref'];
  return typeof ref === 'string' && ref.startsWith(REF) ? ref.slice(REF.length) : undefined;
}

/** Whether `value` is a JSON Schema; any object counts here. */
export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function propertiesOf(schema: Schema | undefined): Schema | undefined {
  const properties = schema?.['properties'];
  return isSchema(properties) ? properties : undefined;
}

/** The schema of an item if `schema` is the contract's list envelope. */
function listItem(schema: Schema): Schema | undefined {
  const properties = propertiesOf(schema) ?? {};
  const items = properties['items'];
  if (!isSchema(items) || !['totalCount', 'offset', 'top'].every((name) => name in properties))
    return undefined;
  const item = items['items'];
  return isSchema(item) ? item : undefined;
}

/** The record schema in "a record or null"; otherwise the schema itself. */
function withoutNull(schema: Schema): Schema {
  const choices = schema['anyOf'];
  if (!Array.isArray(choices) || choices.length !== 2) return schema;
  const [record, nothing] = choices as unknown[];
  return isSchema(record) && isSchema(nothing) && nothing['type'] === 'null' ? record : schema;
}

function errorCodes(document: OpenApiDocument): string[] {
  const codes = new Set<string>();
  const visit = (part: unknown): void => {
    if (Array.isArray(part)) part.forEach(visit);
    if (!isSchema(part)) return;
    const errorCode = propertiesOf(part)?.['errorCode'];
    if (isSchema(errorCode) && Array.isArray(errorCode['enum'])) {
      for (const code of errorCode['enum'] as unknown[]) if (typeof code === 'string') codes.add(code);
    }
    Object.values(part).forEach(visit);
  };
  visit([document.paths, document.components.responses]);
  return [...codes].toSorted();
}
