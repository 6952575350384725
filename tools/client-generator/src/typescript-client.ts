import openapiTypeScript, { astToString } from 'openapi-typescript';
import type { OpenAPI3 } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';
import type { ClientModel, Operation, Resource } from './client-model.ts';
import { iteratorName } from './naming.ts';

const NOTICE = '// Generated from the OpenAPI document by `npm run generate`; do not edit.';

/** The generated files of the TypeScript client, by name: types of the API, and one class per resource. */
export async function typescriptClient(model: ClientModel): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['types.ts', await pretty(await typesFile(model))],
    ['resources.ts', await pretty(resourcesFile(model))],
  ]);
}

async function typesFile(model: ClientModel): Promise<string> {
  const document = {
    openapi: '3.1.0',
    info: { title: '', version: '' },
    paths: {},
    components: { schemas: model.schemas },
  };
  // Its document type requires more JSON Schema members than ours has.
  const ast = await openapiTypeScript(document as unknown as OpenAPI3, {
    // The server fills in defaults, so in a request the member stays optional.
    defaultNonNullable: false,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    silent: true,
  });
  const source = astToString(ast)
    // The document that it gets contains no operations.
    .replace(/^export type (?:paths|webhooks|operations|\$defs) = .*\n/gm, '')
    .replace('export interface components', 'interface components')
    .replace(/^ {4}(?:responses|parameters|requestBodies|headers|pathItems): never;\n/gm, '');
  return `${NOTICE}

${source}
/** The error codes that operations of this version name. */
export type KnownErrorCode = ${model.errorCodes.map((code) => `'${code}'`).join(' | ')};
`;
}

function resourcesFile(model: ClientModel): string {
  const body = model.resources.map(resourceClass).join('\n\n');
  const types = Object.keys(model.schemas).filter((name) =>
    new RegExp(String.raw`\b${name}\b`).test(withoutProse(body)),
  );
  return `${NOTICE}

import { iterate } from '../paging.ts';
import type { Page } from '../paging.ts';
import { segment } from '../transport.ts';
import type { RequestOptions, Transport } from '../transport.ts';
import type { ${types.join(', ')} } from './types.ts';

${body}

/** The resources of the API. */
export class Resources {
${model.resources.map(({ className, property }) => `  readonly ${property}: ${className};`).join('\n')}

  constructor(transport: Transport) {
${model.resources.map(({ className, property }) => `    this.${property} = new ${className}(transport);`).join('\n')}
  }
}
`;
}

/** Removed, because descriptions name schemas that the code does not use. */
function withoutProse(source: string): string {
  return source.replace(/\/\*\*.*?\*\//gs, '');
}

function resourceClass({ className, description, operations }: Resource): string {
  return `/** ${description} */
export class ${className} {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

${operations.map(methodsOf).join('\n\n')}
}`;
}

function methodsOf(operation: Operation): string {
  const { answer } = operation;
  const types = parameterTypes(operation);
  const isEmptyFine = operation.body?.isRequired !== true && !hasRequiredQuery(operation);
  const path = operation.pathParameters.map(
    ({ name, type }) => `${name}: ${type === 'integer' ? 'number' : 'string'}`,
  );
  const parameters = [
    ...path,
    ...(types.length === 0 ? [] : [`params: ${types.join(' & ')}${isEmptyFine ? ' = {}' : ''}`]),
    'options: RequestOptions = {}',
  ].join(', ');
  const single = `${comment(operation)}
  ${operation.name}(${parameters}): Promise<${answerType(operation)}> {
    return this.#transport.call(${request(operation)}, options);
  }`;
  if (operation.isStreamed) {
    return `${single}

  /** The response of \`${operation.name}\` as a stream of JSON text that is not held in memory; \`timeoutMs\` only limits the wait for its beginning. */
  ${operation.name}Stream(${parameters}): Promise<ReadableStream<Uint8Array>> {
    return this.#transport.stream(${request(operation)}, options);
  }`;
  }
  if (answer.kind !== 'list') return single;
  const name = iteratorName(operation.name);
  const passed = [...operation.pathParameters.map((parameter) => parameter.name), 'page', 'options'].join(
    ', ',
  );
  return `${single}

  /** Every record of \`${operation.name}\`; pages are fetched as needed, from \`offset\` on, \`top\` records at a time. */
  ${name}(${parameters}): AsyncGenerator<${answer.item}, void, undefined> {
    return iterate(params, (page) => this.${operation.name}(${passed}));
  }`;
}

function parameterTypes({ query, body }: Operation): string[] {
  return [body?.schema, query?.schema].filter((name) => name !== undefined);
}

function hasRequiredQuery({ query }: Operation): boolean {
  return query?.parameters.some(({ required }) => required) === true;
}

function answerType({ answer }: Operation): string {
  switch (answer.kind) {
    case 'nothing':
      return 'void';
    case 'list':
      return `Page<${answer.item}>`;
    case 'record':
      return answer.isNullable ? `${answer.schema} | null` : answer.schema;
  }
}

function request({ method, path, query, body }: Operation): string {
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => `\${segment(${name})}`);
  const members = [
    `method: '${method}'`,
    address === path ? `path: '${path}'` : `path: \`${address}\``,
    ...(query === undefined
      ? []
      : [`query: [${query.parameters.map(({ name }) => `'${name}'`).join(', ')}]`]),
    ...(body === undefined ? [] : [`body: '${body.isRequired ? 'required' : 'optional'}'`]),
    ...(query === undefined && body === undefined ? [] : ['params']),
  ];
  return `{ ${members.join(', ')} }`;
}

function comment({ summary, description, method, path }: Operation): string {
  const prose = description === undefined ? [] : ['', ...description.replaceAll('*/', '* /').split('\n')];
  const text = [`${summary}.`, ...prose, '', `\`${method} ${path}\``];
  return `  /**\n${text.map((line) => `   * ${line}`.trimEnd()).join('\n')}\n   */`;
}

async function pretty(source: string): Promise<string> {
  const config = await resolveConfig(import.meta.filename);
  return await format(source, { ...config, parser: 'typescript' });
}
