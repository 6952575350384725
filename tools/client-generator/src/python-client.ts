import { isSchema } from './client-model.ts';
import type { ClientModel, Operation, Resource, Schema } from './client-model.ts';
import { iteratorName, snakeCase } from './naming.ts';

const NOTICE = '# Generated from the OpenAPI document by `npm run generate`; do not edit.';

/** The generated `resources.py`: one class per resource. `pythonTypes` generates the types that it names. */
export function pythonResources(model: ClientModel): string {
  const body = model.resources.map(resourceClass).join('\n\n\n');
  const members = model.resources.map(
    ({ className, property }) => `        self.${snakeCase(property)} = ${className}(transport)`,
  );
  return `${NOTICE}

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from . import types
from .paging import Page, iterate
from .transport import RequestOptions, Transport, segment


${body}


class Resources:
    """The resources of the API."""

    def __init__(self, transport: Transport) -> None:
${members.join('\n')}
`;
}

/** The schemas that the Python client has types for: queries are keyword arguments there. */
export function pythonSchemas(model: ClientModel): ClientModel['schemas'] {
  const queries = new Set(
    model.resources.flatMap(({ operations }) => operations.map(({ query }) => query?.schema)),
  );
  return Object.fromEntries(Object.entries(model.schemas).filter(([name]) => !queries.has(name)));
}

function resourceClass({ className, description, operations }: Resource): string {
  return `class ${className}:
    """${description}"""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

${operations.map(methodsOf).join('\n\n')}`;
}

function methodsOf(operation: Operation): string {
  const parameters = parametersOf(operation);
  const single = `    def ${snakeCase(operation.name)}(
        self,
${parameters.map((text) => `        ${text},`).join('\n')}
    ) -> ${answerType(operation)}:
${docstring(operation)}
        return self._transport.call(  # type: ignore[no-any-return]
            "${operation.method}",
            ${path(operation)},
${requestArguments(operation)}
        )`;
  const { answer } = operation;
  if (answer.kind !== 'list') return single;
  const positional = operation.pathParameters.map(({ name }) => pythonArgument(name));
  const named = (operation.query?.parameters ?? []).map(({ name }) =>
    name === 'offset' ? 'offset=start' : `${pythonArgument(name)}=${pythonArgument(name)}`,
  );
  return `${single}

    def ${snakeCase(iteratorName(operation.name))}(
        self,
${parameters.map((text) => `        ${text},`).join('\n')}
    ) -> Iterator[types.${answer.item}]:
        """Every record of \`\`${snakeCase(operation.name)}\`\`; pages are fetched as needed."""
        return iterate(
            offset,
            lambda start: self.${snakeCase(operation.name)}(${[...positional, ...named, 'options=options'].join(', ')}),
        )`;
}

function parametersOf({ pathParameters, body, query }: Operation): string[] {
  const required = query?.parameters.filter((parameter) => parameter.required) ?? [];
  const optional = query?.parameters.filter((parameter) => !parameter.required) ?? [];
  return [
    ...pathParameters.map(
      ({ name, type }) => `${pythonArgument(name)}: ${type === 'integer' ? 'int' : 'str'}`,
    ),
    ...(body === undefined
      ? []
      : [body.isRequired ? `body: types.${body.schema}` : `body: types.${body.schema} | None = None`]),
    '*',
    ...required.map(({ name, schema }) => `${pythonArgument(name)}: ${scalar(name, schema)}`),
    ...optional.map(({ name, schema }) => `${pythonArgument(name)}: ${scalar(name, schema)} | None = None`),
    'options: RequestOptions | None = None',
  ];
}

const KEYWORDS = new Set([
  'from',
  'import',
  'in',
  'is',
  'class',
  'def',
  'global',
  'lambda',
  'not',
  'or',
  'and',
  'type',
]);

/** Converts a parameter's name to Python's style. */
export function pythonArgument(name: string): string {
  const snake = snakeCase(name);
  return KEYWORDS.has(snake) ? `${snake}_` : snake;
}

function scalar(name: string, schema: Schema): string {
  const { $ref: reference, enum: values, anyOf: choices, type } = schema;
  if (Array.isArray(choices)) {
    return [...new Set(choices.filter(isSchema).map((choice) => scalar(name, choice)))].join(' | ');
  }
  if (typeof reference === 'string') return `types.${reference.slice(reference.lastIndexOf('/') + 1)}`;
  if (Array.isArray(values)) return `Literal[${values.map((value) => JSON.stringify(value)).join(', ')}]`;
  switch (type) {
    case 'string':
      return 'str';
    case 'integer':
      return 'int';
    case 'boolean':
      return 'bool';
    default:
      throw new Error(`The query parameter ${name} is no scalar.`);
  }
}

function answerType({ answer }: Operation): string {
  switch (answer.kind) {
    case 'nothing':
      return 'None';
    case 'list':
      return `Page[types.${answer.item}]`;
    case 'record':
      return answer.isNullable ? `types.${answer.schema} | None` : `types.${answer.schema}`;
  }
}

function path({ path: template }: Operation): string {
  const address = template.replace(/\{(\w+)\}/g, (_, name: string) => `{segment(${pythonArgument(name)})}`);
  return address === template ? `"${template}"` : `f"${address}"`;
}

function requestArguments({ query, body }: Operation): string {
  const lines = [
    ...(query === undefined
      ? []
      : ['query={', ...query.parameters.map(({ name }) => `    "${name}": ${pythonArgument(name)},`), '},']),
    ...(body === undefined ? [] : ['body=body,']),
    'options=options,',
  ];
  return lines.map((line) => `            ${line}`).join('\n');
}

function docstring({ summary, description, method, path: template }: Operation): string {
  const text = [`${summary}.`, ...(description === undefined ? [] : ['', ...description.split('\n')])];
  const lines = [...text, '', `\`\`${method} ${template}\`\``, '"""'];
  return `        """${lines.map((line, index) => (index === 0 || line === '' ? line : `        ${line}`)).join('\n')}`;
}
